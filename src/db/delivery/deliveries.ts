import type { Delivery, FoundDelivery } from '../../domain/delivery/delivery.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connection/connection.ts'
import { recordNameOf } from '../../domain/event/record-name.ts'
import { shownRecord } from '../event/events.ts'
import { exactId, ofTenant, ofTenantSql } from '../conditions.ts'
import { changingColumns, JOIN_EVENT, toDelivery, type DeliveryRow } from './rows.ts'
import { readRows, sql, type Statement } from '../connection/statements.ts'

/** The delivery, if it belongs to that webhook of the tenant; undefined otherwise. */
export async function findDelivery(
  db: Db,
  tenant: Tenant,
  webhookId: string,
  id: string,
): Promise<FoundDelivery | undefined> {
  const isWanted = sql`
    ${ofTenantSql(tenant, 'd')}
      AND d.webhook_id = ${exactId('webhook', webhookId)} AND d.id = ${exactId('delivery', id)}`
  const [row] = await selectDeliveries(db, sql`e.body`, isWanted)
  return row && toFoundDelivery(row)
}

/** Reads the delivery and locks its row until the transaction ends. undefined if there is none. */
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

/** Writes all columns of a delivery that can change. The caller must have locked the row. */
export async function updateDelivery(trx: Db, tenant: Tenant, delivery: Delivery, now: Date): Promise<void> {
  await trx<DeliveryRow>('deliveries')
    .where({ ...ofTenant(tenant), id: delivery.id })
    .update(changingColumns(delivery, now))
}

/** A row of selectDeliveries, with the bytes of its event. */
type FoundDeliveryRow = DeliveryRow & {
  body: Buffer | null
  record_id: string | null
  latest_error: string | null
}

/**
 * Selects deliveries `d` with their events `e`. It reads the error code from the attempts. A copy in the delivery's row
 * would become wrong when a process of a former release, which does not know the copy, writes the row.
 *
 * @param columns further columns, among them `body`, the bytes of the event
 * @param rest what follows WHERE
 */
export const selectDeliveries = <Row = unknown>(
  db: Db,
  columns: Statement,
  rest: Statement,
): Promise<(FoundDeliveryRow & Row)[]> =>
  readRows<FoundDeliveryRow & Row>(db)`
    SELECT d.*, e.record_id, a.error AS latest_error, ${columns}
      FROM deliveries d LEFT ${JOIN_EVENT}
      LEFT JOIN attempts a ON a.delivery_id = d.id AND a.number = d.attempts AND d.response_code IS NULL
     WHERE ${rest}`

/** The delivery of a row of selectDeliveries. */
export const toFoundDelivery = (row: FoundDeliveryRow): FoundDelivery => ({
  ...toDelivery(row),
  payload: row.body,
  record: shownRecord(row.record_id),
  recordName: recordNameOf(row.body),
  error: row.latest_error,
})
