import type { DeliveryStatus } from '../../domain/delivery/delivery.js'
import type { Db } from '../connection/connection.js'
import { rowsOf, run, type SqlValue, type Statement } from '../connection/statements.js'

/** The place of a delivery in a list, newest first. */
export type DeliveryPlace = { readonly id: string; readonly createdAt: Date }

/** Deliveries that one index has in order: those of a webhook, of one status or of any. */
type Source = { readonly webhookId: string; readonly status?: DeliveryStatus }

type Wanted = {
  /** Undefined lists every status. */
  readonly statuses: readonly DeliveryStatus[] | undefined
  readonly limit: number
  /** Only deliveries behind this place. */
  readonly before: DeliveryPlace | undefined
}

/** How many sources one statement reads. */
const SOURCES_AT_ONCE = 100

/**
 * The newest deliveries of several webhooks. No index has them in one order, so it merges the lists of the webhooks. It
 * reads the newest of each list, and more only of lists that can be on the page: at most `limit` of them. So the rows read
 * depend on the webhooks and the limit, and not on how many deliveries there are.
 *
 * @param webhookIds webhooks of the caller's tenants: their rows are not checked again
 */
export async function listNewest(
  db: Db,
  webhookIds: readonly string[],
  { statuses, limit, before }: Wanted,
): Promise<DeliveryPlace[]> {
  const sources = webhookIds.flatMap((webhookId): Source[] =>
    statuses ? statuses.map((status) => ({ webhookId, status })) : [{ webhookId }],
  )
  const heads = await readSources(db, sources, 1, before)
  const chosen = heads.slice(0, limit).flatMap(({ source }) => sources[source] ?? [])
  const found = await readSources(db, chosen, limit, before)
  return found.slice(0, limit).map(({ id, created_at }) => ({ id, createdAt: created_at }))
}

type PlaceRow = { id: string; created_at: Date; source: number }

/** The newest `limit` of each source, all together newest first. */
async function readSources(
  db: Db,
  sources: readonly Source[],
  limit: number,
  before: DeliveryPlace | undefined,
): Promise<PlaceRow[]> {
  const rows: PlaceRow[] = []
  for (let from = 0; from < sources.length; from += SOURCES_AT_ONCE) {
    const parts = sources
      .slice(from, from + SOURCES_AT_ONCE)
      .map((source, index) => newestOf(source, from + index, limit, before))
    const sql = parts.map((part) => `(${part.sql})`).join(' UNION ALL ')
    rows.push(...rowsOf<PlaceRow>(await run(db, { sql, values: parts.flatMap(({ values }) => values) })))
  }
  return rows.sort(newestFirst)
}

function newestOf(
  { webhookId, status }: Source,
  source: number,
  limit: number,
  before: DeliveryPlace | undefined,
): Statement {
  const conditions: [string, ...SqlValue[]][] = [['webhook_id = ?', webhookId]]
  if (status !== undefined) conditions.push(['status = ?', status])
  if (before !== undefined) {
    const { createdAt, id } = before
    // Two ranges of the index. `created_at <= ?` would read all deliveries of that moment again on each page.
    conditions.push(['(created_at < ? OR (created_at = ? AND id < ?))', createdAt, createdAt, id])
  }
  return {
    sql: `SELECT id, created_at, ${source} AS source FROM deliveries
           WHERE ${conditions.map(([condition]) => condition).join(' AND ')}
           ORDER BY created_at DESC, id DESC LIMIT ${limit}`,
    values: conditions.flatMap(([, ...values]) => values),
  }
}

const newestFirst = (a: PlaceRow, b: PlaceRow): number =>
  b.created_at.getTime() - a.created_at.getTime() || (a.id < b.id ? 1 : -1)
