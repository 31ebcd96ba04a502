import type { ClosedReason } from '../domain/delivery/delivery.ts'
import type { Instruments } from './instruments.ts'

/** A delivery that was closed. `reason`: why it failed; null: it succeeded. */
type ClosedDelivery = { readonly companyId: string; readonly reason: ClosedReason | null }

/**
 * The metrics of deliveries. Those of companies stay empty unless the operator wants them (METRICS_PER_COMPANY), because
 * each company adds series.
 */
export function createDeliveryMetrics(
  { counter, gauge }: Instruments,
  { perCompany }: { readonly perCompany: boolean },
) {
  const closed = counter(
    'webhook_deliveries_closed_total',
    'Deliveries that this process closed, by outcome and by the reason of those that failed for good.',
    ['outcome', 'reason'],
  )
  const companyClosed = counter(
    'webhook_company_deliveries_closed_total',
    'Deliveries that this process closed, by company and outcome; with METRICS_PER_COMPANY=on only.',
    ['company_id', 'outcome'],
  )
  return {
    /** Set by one worker for all, the leader of the reconciler; the others show none. */
    deliveriesOpen: gauge(
      'webhook_deliveries_open',
      'Open deliveries by their age, told by one worker for all.',
      ['age'],
    ),
    deliveriesHeld: gauge(
      'webhook_deliveries_held',
      'Open deliveries that are held back, by the reason, told by one worker for all.',
      ['reason'],
    ),
    companyDeliveriesOpen: gauge(
      'webhook_company_deliveries_open',
      'Open deliveries by company, told by one worker for all; with METRICS_PER_COMPANY=on only.',
      ['company_id'],
    ),
    /** Counts closed deliveries of a company. Call it after the commit. */
    countClosed({ companyId, reason }: ClosedDelivery, deliveries = 1): void {
      const outcome = reason === null ? 'success' : 'failed'
      closed.inc({ outcome, reason: reason ?? 'none' }, deliveries)
      if (perCompany) companyClosed.inc({ company_id: companyId, outcome }, deliveries)
    },
  }
}
