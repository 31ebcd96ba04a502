import type { Knex } from 'knex'
import { DELIVERY_STATUSES, type DeliveryStatus, type FoundDelivery } from '../../domain/delivery/delivery.ts'
import { NAMED_BODY_BYTES } from '../../domain/event/record-name.ts'
import { pageOffset, type Page, type PageRequest } from '../../domain/pagination.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connection/connection.ts'
import {
  INLINE_BYTES,
  readLargeValues,
  unlimitedRoom,
  type MakeRoom,
  type SizedRow,
} from '../connection/large-values.ts'
import { NEWEST_FIRST } from '../place-statements.ts'
import { readCounters, totalOf } from '../webhook/counters.ts'
import { selectDeliveries, toFoundDelivery, type FoundDeliveryRow } from './deliveries.ts'
import { JOIN_EVENT } from './rows.ts'

type Payloads = {
  /** Whether payloads are read; by default they are. */
  readonly withPayload?: boolean
  /** Called with the bytes of large payloads before they are read. */
  readonly makeRoom?: MakeRoom
}

/**
 * A page of a webhook's deliveries, newest first. The total comes from the counters, because counting the rows of a busy
 * webhook would read them all. One index alone chooses the page, so skipping to a late page reads no rows. The tenant is
 * checked on the rows of the page. Large payloads are read in slices once `makeRoom` knows their size.
 *
 * @param request `statuses` undefined lists all
 */
export async function listDeliveries(
  db: Db,
  tenant: Tenant,
  webhookId: string,
  { statuses, ...page }: PageRequest & { readonly statuses?: readonly DeliveryStatus[] | undefined },
  payloads: Payloads = {},
): Promise<Page<FoundDelivery>> {
  const counters = await readCounters(db, tenant, [webhookId])
  const chosen = pageOf(db, webhookId, statuses, page).limit(page.limit).offset(pageOffset(page))
  const ids = db.select('id').from(chosen.as('page'))
  const items = await readDeliveries(db, tenant, (query) => query.whereIn('d.id', ids), payloads)
  const totals = (statuses ?? [undefined]).map((status) => totalOf(counters.get(webhookId), status))
  return { ...page, total: totals.reduce((sum, total) => sum + total, 0), items }
}

/** The ids of a webhook's deliveries, in order. Several statuses are merged: no index has them in one order. */
function pageOf(
  db: Db,
  webhookId: string,
  statuses: readonly DeliveryStatus[] = DELIVERY_STATUSES,
  page: PageRequest,
): Knex.QueryBuilder {
  const inOrder = (condition: object) =>
    db('deliveries')
      .where({ webhook_id: webhookId, ...condition })
      .orderBy(NEWEST_FIRST)
  if (statuses.length === DELIVERY_STATUSES.length) return inOrder({}).select('id')
  const [status, ...others] = statuses
  if (others.length === 0) return inOrder({ status }).select('id')
  const parts = statuses.map((each) =>
    inOrder({ status: each })
      .limit(pageOffset(page) + page.limit)
      .select('id', 'created_at'),
  )
  return db.select('id').from(db.unionAll(parts, true).as('merged')).orderBy(NEWEST_FIRST)
}

/** The tenant's deliveries among the ids, newest first. */
export const findDeliveries = (
  db: Db,
  tenant: Tenant,
  ids: readonly string[],
  payloads: Payloads,
): Promise<FoundDelivery[]> =>
  readDeliveries(db, tenant, (query) => query.whereIn('d.id', [...ids]), payloads)

async function readDeliveries(
  db: Db,
  { companyId, environment }: Tenant,
  choose: (query: Knex.QueryBuilder) => Knex.QueryBuilder,
  { withPayload = true, makeRoom = unlimitedRoom }: Payloads,
): Promise<FoundDelivery[]> {
  const ofTenant = { 'd.company_id': companyId, 'd.environment': environment }
  const query = choose(selectDeliveries(db).where(ofTenant)).orderBy(
    NEWEST_FIRST.map(({ column, order }) => ({ column: `d.${column}`, order })),
  )
  const rows = (await query.select(
    db.raw('COALESCE(OCTET_LENGTH(e.body), 0) AS bytes'),
    db.raw('IF(OCTET_LENGTH(e.body) <= ?, e.body, NULL) AS body', [
      withPayload ? INLINE_BYTES : NAMED_BODY_BYTES,
    ]),
  )) as (FoundDeliveryRow & SizedRow)[]
  if (!withPayload) return rows.map((row) => ({ ...toFoundDelivery(row), payload: null }))
  const large = await readLargeValues(rows, makeRoom, (ids) =>
    db('deliveries as d')
      .joinRaw(JOIN_EVENT)
      .where(ofTenant)
      .whereIn('d.id', [...ids])
      .select<{ id: string; body: Buffer | null }[]>('d.id', 'e.body'),
  )
  return rows.map((row) => toFoundDelivery({ ...row, body: row.body ?? large.get(row.id)?.body ?? null }))
}
