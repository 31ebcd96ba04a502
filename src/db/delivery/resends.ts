import type { Delivery } from '../../domain/delivery/delivery.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connection/connection.ts'
import { foundBy, readRows, run } from '../connection/statements.ts'

/**
 * Counts one more delivery of the event among those that the purge has not removed, and returns its number for the webhook: 0
 * for the first delivery, from 1 on for repetitions. It locks the event, so no two deliveries get the same number.
 *
 * @returns undefined when the event is gone
 */
export async function takeDeliveryNumber(
  trx: Db,
  { companyId, environment }: Tenant,
  { eventId, webhookId }: Pick<Delivery, 'eventId' | 'webhookId'>,
): Promise<number | undefined> {
  const counted = await run(trx, {
    sql: 'UPDATE events SET remaining = remaining + 1 WHERE company_id = ? AND environment = ? AND id = ?',
    values: [companyId, environment, eventId],
  })
  if (foundBy(counted) === 0) return undefined
  const found = await readRows<{ next: number | string }>(trx, {
    sql: `SELECT COALESCE(MAX(resend_no) + 1, 0) AS next FROM deliveries FORCE INDEX (deliveries_event)
           WHERE event_id = ? AND webhook_id = ?`,
    values: [eventId, webhookId],
  })
  return Number(found[0]?.next ?? 0)
}
