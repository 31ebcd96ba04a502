import type { Delivery } from '../../domain/delivery/delivery.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { afterNow } from '../clock.ts'
import { ofTenant, ofTenantSql } from '../conditions.ts'
import type { Db } from '../connection/connection.ts'
import { execute, insertRows, readRows, run, type Statement } from '../connection/statements.ts'

/** A delivery that is about to be made for an event. */
export type NewDelivery = Pick<
  Delivery,
  'id' | 'webhookId' | 'eventId' | 'eventType' | 'maxAttempts' | 'createdAt' | 'isInTemporal'
> & {
  /**
   * The delivery counts as overdue only after this many milliseconds. Until then the caller that made it looks after it. By
   * default 0.
   */
  readonly guardedMs?: number
  /** Set if the delivery repeats another one: the id of that delivery, and the number from takeDeliveryNumber. */
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
  insertRows(
    'deliveries',
    deliveries.map(({ tenant, delivery }) => ({
      ...ofTenant(tenant),
      id: delivery.id,
      webhook_id: delivery.webhookId,
      event_id: delivery.eventId,
      event_type: delivery.eventType,
      status: 'pending',
      max_attempts: delivery.maxAttempts,
      created_at: delivery.createdAt,
      in_temporal: delivery.isInTemporal ? 1 : 0,
      resend_of: delivery.resend?.of ?? null,
      resend_no: delivery.resend?.number ?? 0,
      recovery_base: delivery.recoveryBase ?? null,
      wake_at: afterNow(delivery.guardedMs ?? 0),
    })),
  )

/**
 * Adds one to the event's count of deliveries that the purge has not removed. Returns the number of the new delivery among
 * those of the event and the webhook: 0 for the first one, 1 or more for repetitions. It locks the event, so that no two
 * deliveries get the same number.
 *
 * @returns undefined if the event was removed
 */
export async function takeDeliveryNumber(
  trx: Db,
  tenant: Tenant,
  { eventId, webhookId }: Pick<Delivery, 'eventId' | 'webhookId'>,
): Promise<number | undefined> {
  const counted = await execute(trx)`
    UPDATE events SET remaining = remaining + 1 WHERE ${ofTenantSql(tenant)} AND id = ${eventId}`
  if (counted === 0) return undefined
  const found = await readRows<{ next: number | string }>(trx)`
    SELECT COALESCE(MAX(resend_no) + 1, 0) AS next FROM deliveries FORCE INDEX (deliveries_event)
     WHERE event_id = ${eventId} AND webhook_id = ${webhookId}`
  return Number(found[0]?.next ?? 0)
}
