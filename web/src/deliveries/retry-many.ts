import type { Delivery } from '../common/api/deliveries.js'
import type { PartOf } from '../common/api/paging.js'
import { ApiRefusal } from '../common/api/refusal.js'

/** A delivery that shall be sent again. */
export type RetryTarget = Pick<Delivery, 'id' | 'webhook_id'>

/** How far a run has come. Those that were refused arrived meanwhile, or are gone. */
export type RetryProgress = { readonly queued: number; readonly refused: number }

type Run = {
  /** Asks the api for one of them. */
  readonly retry: (target: RetryTarget) => Promise<unknown>
  readonly onProgress: (progress: RetryProgress) => void
  readonly wait: (ms: number) => Promise<void>
  /** Once aborted, the run ends after the delivery that it is at. */
  readonly signal: AbortSignal
}

/**
 * Asks for the retry of one delivery after the other. Where the api asks to wait, it waits as long as it says and goes on.
 *
 * @returns how many were queued and how many refused
 * @throws ConnectionLost, and ApiRefusal of a session that ended: what was queued stays queued
 */
export async function retryMany(
  targets: readonly RetryTarget[],
  { retry, onProgress, wait, signal }: Run,
): Promise<RetryProgress> {
  let progress: RetryProgress = { queued: 0, refused: 0 }
  for (const target of targets) {
    if (signal.aborted) break
    const isQueued = await retryOne(target, retry, wait)
    progress = {
      queued: progress.queued + (isQueued ? 1 : 0),
      refused: progress.refused + (isQueued ? 0 : 1),
    }
    onProgress(progress)
  }
  return progress
}

async function retryOne(target: RetryTarget, retry: Run['retry'], wait: Run['wait']): Promise<boolean> {
  for (;;) {
    try {
      await retry(target)
      return true
    } catch (error) {
      if (!(error instanceof ApiRefusal) || error.status === 401) throw error
      if (error.retryAfterSeconds === null) return false
      await wait(error.retryAfterSeconds * 1_000)
    }
  }
}

/** Deliveries that a single run takes at most. */
export const RETRIED_AT_ONCE = 1_000

/**
 * Collects the deliveries of a list, part after part.
 *
 * @param readPart reads the part behind a cursor; '' is the first one
 * @returns the newest ones, and whether there are more than fit
 */
export async function collect(
  readPart: (cursor: string) => Promise<PartOf<RetryTarget>>,
  most = RETRIED_AT_ONCE,
): Promise<{ readonly targets: readonly RetryTarget[]; readonly hasMore: boolean }> {
  const targets: RetryTarget[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const { data, pagination }: PartOf<RetryTarget> = await readPart(cursor)
    targets.push(...data.map(({ id, webhook_id }) => ({ id, webhook_id })))
    cursor = pagination.has_more ? pagination.next_cursor : null
    if (targets.length > most || (targets.length === most && cursor !== null))
      return { targets: targets.slice(0, most), hasMore: true }
  }
  return { targets, hasMore: false }
}
