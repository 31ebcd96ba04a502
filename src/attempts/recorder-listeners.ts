import type { Deps } from '../deps/deps.ts'
import { isOpen } from '../domain/delivery/delivery.ts'
import type { AttemptLog } from './attempt-log.ts'
import type { AttemptStats } from './attempt-stats.ts'
import type { EndpointLimits } from './endpoint-limits.ts'
import type { Recording } from './record-batch.ts'
import type { RecoveryWakes } from './recovery-wakes.ts'

/** What learns of each recording after its commit. */
export type RecorderListeners = {
  readonly attemptLog: Pick<AttemptLog, 'recorded' | 'endpointChanged'>
  readonly limits: Pick<EndpointLimits, 'learn'>
  readonly stats: Pick<AttemptStats, 'add'>
  readonly recoveries: Pick<RecoveryWakes, 'recorded'>
}

/** Counts and logs what was recorded. Call it after the commit, and after the callers have their decisions. */
export function tellRecorded(
  { attemptLog, stats, recoveries }: RecorderListeners,
  metrics: Pick<Deps['metrics'], 'countClosed'>,
  recording: Recording,
): void {
  const { attempts, health, now } = recording
  recoveries.recorded(recording)
  for (const attempt of attempts) {
    const { delivery } = attempt.decision
    if (!isOpen(delivery))
      metrics.countClosed({ companyId: attempt.companyId, reason: delivery.closedReason })
    attemptLog.recorded(attempt)
    stats.add(attempt, now)
  }
  for (const [webhookId, change] of health) attemptLog.endpointChanged(webhookId, change, now)
}
