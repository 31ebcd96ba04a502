/**
 * What a recovery brings: deliveries that failed, or events that made no delivery because the webhook was inactive.
 */
export const RECOVERY_KINDS = ['failed', 'missed'] as const

export type RecoveryKind = (typeof RECOVERY_KINDS)[number]

/**
 * The states of a recovery.
 *
 * - `running`: the api or the command line created it, and a workflow goes on with it. It waits while its webhook is
 *   inactive. One at a time of a webhook.
 * - `done`: everything of its window was queued, and had an attempt.
 * - `cancelled`: it ended before that, for the reason in `stoppedReason`. What it had queued goes on.
 */
export const RECOVERY_STATES = ['running', 'done', 'cancelled'] as const

export type RecoveryState = (typeof RECOVERY_STATES)[number]

/** Why a recovery was cancelled: somebody asked for it, its webhook was deleted, or its endpoint still fails. */
export const STOPPED_REASONS = ['requested', 'webhook_deleted', 'endpoint_failing'] as const

export type StoppedReason = (typeof STOPPED_REASONS)[number]

export type Recovery = {
  readonly id: string
  readonly webhookId: string
  readonly kind: RecoveryKind
  readonly state: RecoveryState
  readonly stoppedReason: StoppedReason | null
  /** The window, by the creation of what is recovered: from `since`, and before `until`. */
  readonly since: Date
  readonly until: Date
  /** How many there are; null while that is not known. */
  readonly total: number | null
  readonly queued: number
  readonly createdAt: Date
  readonly endedAt: Date | null
}

/** Up to so many are counted when a recovery begins. */
export const COUNTED_AT_MOST = 10_000

/** So many recovered deliveries whose attempts fail one after the other end the recovery. */
export const FAILURES_THAT_STOP = 20

/** What came of the attempt that a recovery asked for; `none`: nothing will come of it. */
export type RecoveredOutcome = 'success' | 'failure' | 'none'

/**
 * Counts failures in a row.
 *
 * @param before failures in a row so far
 * @param outcomes in the order of their attempts
 * @returns the count after them, but FAILURES_THAT_STOP as soon as that many were reached
 */
export function failuresInRow(before: number, outcomes: readonly RecoveredOutcome[]): number {
  let count = before
  for (const outcome of outcomes) {
    if (count >= FAILURES_THAT_STOP) return count
    if (outcome !== 'none') count = outcome === 'failure' ? count + 1 : 0
  }
  return count
}

/** How many of a recovery's deliveries may wait in the outbox or be on the wire at once. */
export const mostUnderWay = (webhookConcurrency: number): number => 2 * webhookConcurrency
