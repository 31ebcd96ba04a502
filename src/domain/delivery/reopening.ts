import type { Delivery } from './delivery.ts'

/** Lets a failed delivery begin anew: a full set of attempts, the schedule from its start, the first attempt at once. */
export const withFullSet = ({ attempts }: Delivery, maxRetries: number, now: Date) => ({
  status: 'retrying' as const,
  maxAttempts: attempts + maxRetries + 1,
  attemptsBase: attempts,
  nextRetryAt: now,
  closedReason: null,
})

/**
 * Opens a failed delivery again for a recovery. Its next attempt is made like a first one.
 *
 * @param hasNoRun whether no workflow of it runs, nor can any start: its attempt may then be direct
 */
export const reopen = (
  delivery: Delivery,
  { maxRetries, hasNoRun, now }: { maxRetries: number; hasNoRun: boolean; now: Date },
): Delivery => ({
  ...delivery,
  ...withFullSet(delivery, maxRetries, now),
  recoveryBase: delivery.attempts,
  isInTemporal: !hasNoRun,
})
