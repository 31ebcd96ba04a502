import type { Delivery } from '../common/api/wire.ts'
import { ApiRefusal } from '../common/api/refusal.ts'

/** What can be done with many deliveries: another attempt of the same, or a new one of its event. */
export type SendAction = 'retry' | 'resend'

/** Whether the api would take it, by what the page knows of the delivery. */
export const IS_POSSIBLE: Readonly<Record<SendAction, (delivery: Delivery) => boolean>> = {
  retry: ({ status }) => status !== 'success',
  resend: ({ status, is_test }) => (status === 'success' || status === 'failed') && !is_test,
}

/** A delivery that shall be sent. */
export type SendTarget = Pick<Delivery, 'id' | 'webhook_id' | 'event_id'>

/** What the api answered: the delivery that a resend made, or the sentence that says what became of a retry. */
type Accepted = { readonly newId?: string | undefined; readonly message?: string | undefined }

/** What came of one of them. */
export type SendOutcome =
  | (Accepted & { readonly kind: 'queued'; readonly target: SendTarget })
  | { readonly kind: 'refused'; readonly target: SendTarget; readonly message: string }

type Run = {
  /** Asks the api for one of them. */
  readonly ask: (target: SendTarget) => Promise<Accepted>
  /** Told of all outcomes so far. */
  readonly onProgress: (outcomes: readonly SendOutcome[]) => void
  readonly wait: (ms: number) => Promise<void>
  /** Once aborted, the run asks for nothing more. */
  readonly signal: AbortSignal
}

/**
 * Asks for one delivery after the other. Where the api asks to wait, it waits as long as it says and goes on.
 *
 * @returns the outcomes, in the order of the deliveries
 * @throws ConnectionLost, and ApiRefusal of a session that ended: what was queued stays queued
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

/** @returns undefined once the run is aborted */
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
