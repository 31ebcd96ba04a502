import type { Delivery } from '../../domain/delivery/delivery.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { FROM_NOW, toMicroseconds } from '../clock.ts'
import type { Db } from '../connection/connection.ts'
import { insertStatement, run, foundBy, readRows, type Statement } from '../connection/statements.ts'

/** A delivery about to be made for an event. */
export type NewDelivery = Pick<
  Delivery,
  'id' | 'webhookId' | 'eventId' | 'eventType' | 'maxAttempts' | 'createdAt' | 'isInTemporal'
> & {
  /** It counts as overdue only after this many milliseconds, in which its maker looks after it. 0 by default. */
  readonly guardedMs?: number
  /** Set when it repeats a delivery: which one, and its number for the event and the webhook, from takeDeliveryNumber. */
  readonly resend?: { readonly of: string; readonly number: number }
  /** 0 if a recovery makes it; otherwise absent. */
  readonly recoveryBase?: number
}

/** Inserts pending deliveries, due at once. */
export async function insertDeliveries(
  trx: Db,
  tenant: Tenant,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  await run(trx, deliveryRows(deliveries.map((delivery) => ({ tenant, delivery }))))
}

/** The statement that inserts deliveries of any tenants; see insertDeliveries. */
export const deliveryRows = (
  deliveries: readonly { readonly tenant: Tenant; readonly delivery: NewDelivery }[],
): Statement =>
  insertStatement(
    `deliveries (company_id, environment, id, webhook_id, event_id, event_type, status, max_attempts, created_at,
       in_temporal, resend_of, resend_no, recovery_base, wake_at)`,
    `(?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?, ${FROM_NOW})`,
    deliveries.map(({ tenant: { companyId, environment }, delivery }) => [
      companyId,
      environment,
      delivery.id,
      delivery.webhookId,
      delivery.eventId,
      delivery.eventType,
      delivery.maxAttempts,
      delivery.createdAt,
      delivery.isInTemporal ? 1 : 0,
      delivery.resend?.of ?? null,
      delivery.resend?.number ?? 0,
      delivery.recoveryBase ?? null,
      toMicroseconds(delivery.guardedMs ?? 0),
    ]),
  )

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
