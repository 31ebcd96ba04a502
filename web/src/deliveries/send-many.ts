import type { Delivery } from '../common/api/wire.ts'
import { ApiRefusal } from '../common/api/refusal.ts'

/** The two ways to send a delivery again: another attempt of the same delivery, or a new delivery of its event. */
export type SendAction = 'retry' | 'resend'

/** Whether the api would accept that, as far as the page knows the delivery. */
export const IS_POSSIBLE: Readonly<Record<SendAction, (delivery: Delivery) => boolean>> = {
  retry: ({ status }) => status !== 'success',
  resend: ({ status, is_test }) => (status === 'success' || status === 'failed') && !is_test,
}

/** A delivery to send again. */
export type SendTarget = Pick<Delivery, 'id' | 'webhook_id' | 'event_id'>

/** The api's answer: the delivery that a resend made, or a sentence about the retry. */
type Accepted = { readonly newId?: string | undefined; readonly message?: string | undefined }

/** The outcome for one delivery. */
export type SendOutcome =
  | (Accepted & { readonly kind: 'queued'; readonly target: SendTarget })
  | { readonly kind: 'refused'; readonly target: SendTarget; readonly message: string }

type Run = {
  /** Asks the api to send one delivery again. */
  readonly ask: (target: SendTarget) => Promise<Accepted>
  /** Called with all outcomes so far. */
  readonly onProgress: (outcomes: readonly SendOutcome[]) => void
  readonly wait: (ms: number) => Promise<void>
  /** After an abort the run asks for no further delivery. */
  readonly signal: AbortSignal
}

/**
 * Asks for one delivery after the other. If the api asks to wait, it waits as long as the api says, then continues.
 *
 * @returns the outcomes, in the order of the deliveries
 * @throws ConnectionLost, or the ApiRefusal of an ended session. Deliveries that were queued before stay queued
 */
export async function sendMany(targets: readonly SendTarget[], run: Run): Promise<readonly SendOutcome[]> {
  const outcomes: SendOutcome[] = []
  for (const target of targets) {
    const outcome = await sendOne(target, run)
    if (outcome === undefined) break
    outcomes.push(outcome)
    run.onProgress([...outcomes])
  }
  return outcomes
}

/** @returns undefined after an abort */
async function sendOne(target: SendTarget, { ask, wait, signal }: Run): Promise<SendOutcome | undefined> {
  while (!signal.aborted) {
    try {
      return { kind: 'queued', target, ...(await ask(target)) }
    } catch (error) {
      if (!(error instanceof ApiRefusal) || error.status === 401) throw error
      if (error.retryAfterSeconds === null) return { kind: 'refused', target, message: error.message }
      await wait(error.retryAfterSeconds * 1_000)
    }
  }
  return undefined
}
