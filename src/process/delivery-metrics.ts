import { Counter, Gauge, type Registry } from 'prom-client'
import type { ClosedReason } from '../domain/delivery/delivery.ts'

/** A delivery that was closed. `reason`: why it failed; null: it succeeded. */
type ClosedDelivery = { readonly companyId: string; readonly reason: ClosedReason | null }

/**
 * The metrics of deliveries. Those of companies stay empty unless the operator wants them (METRICS_PER_COMPANY), because
 * each company adds series.
 */
export function createDeliveryMetrics(
  registers: Registry[],
  { perCompany }: { readonly perCompany: boolean },
) {
  const closed = new Counter({
    name: 'webhook_deliveries_closed_total',
    help: 'Deliveries that this process closed, by outcome and by the reason of those that failed for good.',
    labelNames: ['outcome', 'reason'] as const,
    registers,
  })
  const companyClosed = new Counter({
    name: 'webhook_company_deliveries_closed_total',
    help: 'Deliveries that this process closed, by company and outcome; with METRICS_PER_COMPANY=on only.',
    labelNames: ['company_id', 'outcome'] as const,
    registers,
  })
  return {
    /** Told by one worker for all, the leader of the reconciler; the others show none. */
    deliveriesOpen: new Gauge({
      name: 'webhook_deliveries_open',
      help: 'Open deliveries by their age, told by one worker for all.',
      labelNames: ['age'] as const,
      registers,
    }),
    deliveriesHeld: new Gauge({
      name: 'webhook_deliveries_held',
      help: 'Open deliveries that are held back, by the reason, told by one worker for all.',
      labelNames: ['reason'] as const,
      registers,
    }),
    companyDeliveriesOpen: new Gauge({
      name: 'webhook_company_deliveries_open',
      help: 'Open deliveries by company, told by one worker for all; with METRICS_PER_COMPANY=on only.',
      labelNames: ['company_id'] as const,
      registers,
    }),
    /** Counts closed deliveries of a company. Call it after the commit. */
    countClosed({ companyId, reason }: ClosedDelivery, deliveries = 1): void {
      const outcome = reason === null ? 'success' : 'failed'
      closed.inc({ outcome, reason: reason ?? 'none' }, deliveries)
      if (perCompany) companyClosed.inc({ company_id: companyId, outcome }, deliveries)
    },
  }
}
