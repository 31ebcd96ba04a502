import type { Delivery, DeliveryStatus } from '../../domain/delivery/delivery.js'
import { pageOffset, type Page, type PageRequest } from '../../domain/pagination.js'
import type { Tenant } from '../../domain/tenant.js'
import { FROM_NOW, toMicroseconds } from '../clock.js'
import type { Db } from '../connection/connection.js'
import { insertStatement, run, type Statement } from '../connection/statements.js'
import { readCounters, totalOf } from '../webhook/counters.js'
import { changingColumns, JOIN_EVENT, toDelivery, type DeliveryRow } from './rows.js'
import {
  INLINE_BYTES,
  readLargeValues,
  unlimitedRoom,
  type MakeRoom,
  type SizedRow,
} from '../connection/large-values.js'
import { LIST_LIMIT_MS, readWithin } from '../connection/limited-read.js'
import { ofTenant } from '../tenant.js'

/** A delivery about to be made for an event. */
export type NewDelivery = Pick<
  Delivery,
  'id' | 'webhookId' | 'eventId' | 'eventType' | 'maxAttempts' | 'createdAt' | 'isInTemporal'
> & {
  /** How long its maker looks after it, in milliseconds: so much later it counts as overdue. By default not at all. */
  readonly guardedMs?: number
}

/** A delivery as it is shown. */
export type FoundDelivery = Delivery & {
  /** The bytes of its event; null once a purge took it. */
  readonly payload: Buffer | null
  /** Why the latest attempt got no answer; null when it was answered, and before the first one. */
  readonly error: string | null
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
       in_temporal, wake_at)`,
    `(?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?, ${FROM_NOW})`,
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
      toMicroseconds(delivery.guardedMs ?? 0),
    ]),
  )

/**
 * Newest first. The total comes from the counters, because counting the rows of a busy webhook would read them all. One
 * index alone chooses the page, so that skipping to a late page reads no rows. The tenant is checked on the rows of the
 * page. Large payloads are read in slices once `makeRoom` knows their size.
 */
export async function listDeliveries(
  db: Db,
  tenant: Tenant,
  webhookId: string,
  { status, ...page }: PageRequest & { readonly status?: DeliveryStatus | undefined },
  makeRoom: MakeRoom = unlimitedRoom,
): Promise<Page<FoundDelivery>> {
  const counters = await readCounters(db, tenant, [webhookId])
  const ids = db('deliveries')
    .where({ webhook_id: webhookId, ...(status && { status }) })
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(page.limit)
    .offset(pageOffset(page))
    .select('id')
  const query = selectDeliveries(db)
    .where({ 'd.company_id': tenant.companyId, 'd.environment': tenant.environment })
    .whereIn('d.id', db.select('id').from(ids.as('page')))
    .orderBy([
      { column: 'd.created_at', order: 'desc' },
      { column: 'd.id', order: 'desc' },
    ])
    .select(
      db.raw('COALESCE(OCTET_LENGTH(e.body), 0) AS bytes'),
      db.raw('IF(OCTET_LENGTH(e.body) <= ?, e.body, NULL) AS body', [INLINE_BYTES]),
    )
  const rows = await readWithin<FoundRow & SizedRow>(db, query, LIST_LIMIT_MS)
  const large = await readLargeValues(rows, makeRoom, (deliveryIds) =>
    readWithin<{ id: string; body: Buffer | null }>(
      db,
      db('deliveries as d')
        .joinRaw(JOIN_EVENT)
        .where({ 'd.company_id': tenant.companyId, 'd.environment': tenant.environment })
        .whereIn('d.id', [...deliveryIds])
        .select('d.id', 'e.body'),
      LIST_LIMIT_MS,
    ),
  )
  const items = rows.map((row) =>
    toFoundDelivery({ ...row, body: row.body ?? large.get(row.id)?.body ?? null }),
  )
  return { ...page, total: totalOf(counters.get(webhookId), status), items }
}

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
      'd.webhook_id': webhookId,
      'd.id': id,
    })
    .limit(1)
  return rows.map(toFoundDelivery)[0]
}

/** The tenant's deliveries among the ids, without their payloads, in no particular order. */
export async function findDeliveries(
  db: Db,
  tenant: Tenant,
  ids: readonly string[],
): Promise<FoundDelivery[]> {
  const rows = await selectDeliveries(db, { withEvent: false })
    .where({ 'd.company_id': tenant.companyId, 'd.environment': tenant.environment })
    .whereIn('d.id', [...ids])
  return rows.map((row) => toFoundDelivery({ ...row, body: null }))
}

/** Reads the delivery and locks its row until the transaction ends; undefined when there is none. */
export async function lockDelivery(
  trx: Db,
  tenant: Tenant,
  webhookId: string,
  id: string,
): Promise<Delivery | undefined> {
  const row = await trx<DeliveryRow>('deliveries')
    .where({ ...ofTenant(tenant), webhook_id: webhookId, id })
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

type FoundRow = DeliveryRow & { body: Buffer | null; latest_error: string | null }

/**
 * Reads the error code from the attempts. A copy in the delivery's row would become wrong when a process of a former
 * release, which does not know the copy, writes the row.
 */
const selectDeliveries = (db: Db, { withEvent } = { withEvent: true }) =>
  db('deliveries as d')
    .joinRaw(withEvent ? `LEFT ${JOIN_EVENT}` : '')
    .leftJoin('attempts as a', (join) =>
      join.on('a.delivery_id', 'd.id').andOn('a.number', 'd.attempts').andOnNull('d.response_code'),
    )
    .select<FoundRow[]>('d.*', 'a.error as latest_error')

const toFoundDelivery = (row: FoundRow): FoundDelivery => ({
  ...toDelivery(row),
  payload: row.body,
  error: row.latest_error,
})
