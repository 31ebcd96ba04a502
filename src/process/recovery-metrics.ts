import { Counter, type Registry } from 'prom-client'
import { RECOVERY_KINDS, STOPPED_REASONS, type StoppedReason } from '../domain/recovery/recovery.ts'

/** The metrics of recoveries. Each label begins at 0, so that an alert on an increase sees the first one. */
export function createRecoveryMetrics(registers: Registry[]) {
  const recoveredDeliveries = new Counter({
    name: 'webhook_recovered_deliveries_total',
    help: 'Deliveries that recoveries queued through this worker: opened again, or made of missed events.',
    labelNames: ['recovers'] as const,
    registers,
  })
  const ended = new Counter({
    name: 'webhook_recoveries_ended_total',
    help: 'Recoveries that this process ended, by outcome and by the reason of those that were cancelled.',
    labelNames: ['outcome', 'reason'] as const,
    registers,
  })
  const labelsOf = (reason: StoppedReason | null) => ({
    outcome: reason === null ? 'done' : 'cancelled',
    reason: reason ?? 'none',
  })
  for (const recovers of RECOVERY_KINDS) recoveredDeliveries.inc({ recovers }, 0)
  for (const reason of [null, ...STOPPED_REASONS]) ended.inc(labelsOf(reason), 0)
  return {
    recoveredDeliveries,
    /** Counts a recovery that ended. Call it after the commit. @param reason why it was cancelled; null: it is done */
    countRecoveryEnd: (reason: StoppedReason | null): void => ended.inc(labelsOf(reason)),
  }
}
