import type { Config } from './index.ts'

/** Temporal's default for history.timerProcessorMaxTimeShift. */
const SHORTEST_TIMER_MS = 1_000

/** Returns a warning for each setting that is allowed but may surprise the operator. A worker logs them at boot. */
export function workerWarnings(config: Config): string[] {
  const { shutdownGraceMs, webhookTimeoutMs, webhookAllowedNetworks, webhookRetryScheduleMs } = config
  const warnings: string[] = []
  if (shutdownGraceMs <= webhookTimeoutMs) {
    warnings.push(
      'SHUTDOWN_GRACE is not longer than WEBHOOK_TIMEOUT: a stop may cut attempts, which are made again',
    )
  }
  if (webhookAllowedNetworks.length > 0) {
    warnings.push('WEBHOOK_ALLOWED_NETWORKS exempts addresses from the guard against private networks')
  }
  if (webhookRetryScheduleMs.some((delayMs) => delayMs < SHORTEST_TIMER_MS)) {
    warnings.push(
      'WEBHOOK_RETRY_SCHEDULE has delays under 1s: Temporal makes them a full second, and next_retry_at is too early, unless its dynamic config sets history.timerProcessorMaxTimeShift to 50ms, as servers that npm start launches have it',
    )
  }
  return warnings
}
