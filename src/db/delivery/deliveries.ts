import type { Delivery, FoundDelivery } from '../../domain/delivery/delivery.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connection/connection.ts'
import { recordNameOf } from '../../domain/event/record-name.ts'
import { shownRecord } from '../event/events.ts'
import { exactId, ofTenant } from '../conditions.ts'
import { changingColumns, JOIN_EVENT, toDelivery, type DeliveryRow } from './rows.ts'

/** The delivery under that webhook of the tenant, or undefined. */
export async function findDelivery(
  db: Db,
  tenant: Tenant,
  webhookId: string,
  id: string,
): Promise<FoundDelivery | undefined> {
  const rows = await selectDeliveries(db)
    .select('e.body')
    .where({
      'd.company_id': tenant.companyId,
      'd.environment': tenant.environment,
      'd.webhook_id': exactId('webhook', webhookId),
      'd.id': exactId('delivery', id),
    })
    .limit(1)
  return rows.map(toFoundDelivery)[0]
}

/** Reads the delivery and locks its row until the transaction ends; undefined when there is none. */
export async function lockDelivery(
  trx: Db,
  tenant: Tenant,
  webhookId: string,
  id: string,
): Promise<Delivery | undefined> {
  const row = await trx<DeliveryRow>('deliveries')
    .where({ ...ofTenant(tenant), webhook_id: exactId('webhook', webhookId), id: exactId('delivery', id) })
    .forUpdate()
    .first()
  return row && toDelivery(row)
}

/** Writes everything of a delivery that can change. The caller has locked its row. */
export async function updateDelivery(trx: Db, tenant: Tenant, delivery: Delivery, now: Date): Promise<void> {
  await trx<DeliveryRow>('deliveries')
    .where({ ...ofTenant(tenant), id: delivery.id })
    .update(changingColumns(delivery, now))
}

/** A row of selectDeliveries, with the bytes of its event. */
export type FoundDeliveryRow = DeliveryRow & {
  body: Buffer | null
  record_id: string | null
  latest_error: string | null
}

/**
 * Selects deliveries `d` with the records of their events `e`. It reads the error code from the attempts. A copy in the
 * delivery's row would become wrong when a process of a former release, which does not know the copy, writes the row.
 */
export const selectDeliveries = (db: Db) =>
  db('deliveries as d')
    .joinRaw(`LEFT ${JOIN_EVENT}`)
    .leftJoin('attempts as a', (join) =>
      join.on('a.delivery_id', 'd.id').andOn('a.number', 'd.attempts').andOnNull('d.response_code'),
    )
    .select<FoundDeliveryRow[]>('d.*', 'e.record_id', 'a.error as latest_error')

/** The delivery of a row of selectDeliveries. */
export const toFoundDelivery = (row: FoundDeliveryRow): FoundDelivery => ({
  ...toDelivery(row),
  payload: row.body,
  record: shownRecord(row.record_id),
  recordName: recordNameOf(row.body),
  error: row.latest_error,
})
