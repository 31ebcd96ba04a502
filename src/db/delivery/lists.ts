import { DELIVERY_STATUSES, type DeliveryStatus, type FoundDelivery } from '../../domain/delivery/delivery.ts'
import { NAMED_BODY_BYTES } from '../../domain/event/record-name.ts'
import { pageOffset, type Page, type PageRequest } from '../../domain/pagination.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connection/connection.ts'
import { ofTenantSql } from '../conditions.ts'
import {
  INLINE_BYTES,
  readLargeValues,
  unlimitedRoom,
  type MakeRoom,
  type SizedRow,
} from '../connection/large-values.ts'
import { readCounters, totalOf } from '../webhook/counters.ts'
import { selectDeliveries, toFoundDelivery } from './deliveries.ts'
import { JOIN_EVENT } from './rows.ts'
import { joined, readRows, sql, type Statement } from '../connection/statements.ts'

type Payloads = {
  /** Whether payloads are read. By default they are. */
  readonly withPayload?: boolean
  /** Called with the size of all payloads of the page, in bytes, before the large ones are read. */
  readonly makeRoom?: MakeRoom
}

/**
 * A page of a webhook's deliveries, newest first. The total comes from the counters, because a count of the rows of a
 * busy webhook would read them all. One index alone chooses the page, so a late page reads no rows of earlier pages.
 * The tenant is checked on the rows of the page. First `makeRoom` is called with the size of all payloads of the page.
 * Then the large ones are read in slices.
 *
 * @param request `statuses` undefined: all statuses
 */
export async function listDeliveries(
  db: Db,
  tenant: Tenant,
  webhookId: string,
  { statuses, ...page }: PageRequest & { readonly statuses?: readonly DeliveryStatus[] | undefined },
  payloads: Payloads = {},
): Promise<Page<FoundDelivery>> {
  const counters = await readCounters(db, tenant, [webhookId])
  const ids = sql`SELECT id FROM (${pageOf(webhookId, statuses, page)}) page`
  const items = await findDeliveries(db, tenant, ids, payloads)
  const totals = (statuses ?? [undefined]).map((status) => totalOf(counters.get(webhookId), status))
  return { ...page, total: totals.reduce((sum, total) => sum + total, 0), items }
}

/**
 * Selects the ids of a page of a webhook's deliveries. The deliveries of several statuses are merged, because no index
 * has them in one order.
 */
function pageOf(
  webhookId: string,
  statuses: readonly DeliveryStatus[] = DELIVERY_STATUSES,
  page: PageRequest,
): Statement {
  const ofWebhook = sql`FROM deliveries WHERE webhook_id = ${webhookId}`
  const inOrder = sql`ORDER BY created_at DESC, id DESC`
  const ofPage = sql`${inOrder} LIMIT ${page.limit} OFFSET ${pageOffset(page)}`
  if (statuses.length === DELIVERY_STATUSES.length) return sql`SELECT id ${ofWebhook} ${ofPage}`
  const ofStatuses = statuses.map((status) => sql`${ofWebhook} AND status = ${status}`)
  const [first, ...others] = ofStatuses
  if (first && others.length === 0) return sql`SELECT id ${first} ${ofPage}`
  const most = pageOffset(page) + page.limit
  const parts = ofStatuses.map((own) => sql`(SELECT id, created_at ${own} ${inOrder} LIMIT ${most})`)
  return sql`SELECT id FROM (${joined(parts, ' UNION ALL ')}) merged ${ofPage}`
}

/** The tenant's deliveries with these ids, newest first. @param ids a list, or a SELECT of ids */
export async function findDeliveries(
  db: Db,
  tenant: Tenant,
  ids: readonly string[] | Statement,
  { withPayload = true, makeRoom = unlimitedRoom }: Payloads,
): Promise<FoundDelivery[]> {
  const isOwn = ofTenantSql(tenant, 'd')
  const upTo = withPayload ? INLINE_BYTES : NAMED_BODY_BYTES
  const rows = await selectDeliveries<SizedRow>(
    db,
    sql`COALESCE(OCTET_LENGTH(e.body), 0) AS bytes, IF(OCTET_LENGTH(e.body) <= ${upTo}, e.body, NULL) AS body`,
    sql`${isOwn} AND d.id IN (${ids}) ORDER BY d.created_at DESC, d.id DESC`,
  )
  if (!withPayload) return rows.map((row) => ({ ...toFoundDelivery(row), payload: null }))
  const large = await readLargeValues(
    rows,
    makeRoom,
    (some) => readRows<{ id: string; body: Buffer | null }>(db)`
      SELECT d.id, e.body FROM deliveries d ${JOIN_EVENT} WHERE ${isOwn} AND d.id IN (${some})`,
  )
  return rows.map((row) => toFoundDelivery({ ...row, body: row.body ?? large.get(row.id)?.body ?? null }))
}
