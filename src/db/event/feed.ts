import { rowsOfEvents, type FeedRow, type FeedWindow } from '../../domain/event/feed.ts'
import { tenantKey, type Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connection/connection.ts'
import {
  execute,
  insertRows,
  joined,
  addingUp,
  rawSql,
  readRows,
  runTogether,
  sql,
  type Statement,
} from '../connection/statements.ts'
import { isOneOf, ofTenant, ofTenantSql, tenantOf, type TenantRow } from '../conditions.ts'

/** An event that is to get a place in the feed of its tenant. */
export type FeedEvent = {
  readonly tenant: Tenant
  readonly event: { readonly id: string; readonly type: string }
}

/**
 * The statements that give events their places in the feeds, in the order of the array; at least one event. Run them
 * last in a transaction: the first statement locks the feeds' heads, in the order of the tenants' keys, until the
 * commit.
 */
export function feedStatements(events: readonly FeedEvent[]): Statement[] {
  const byTenant = Map.groupBy(events, ({ tenant }) => tenantKey(tenant))
  const groups = [...byTenant].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group)
  const heads = groups.flatMap((group) => group.slice(0, 1).map(({ tenant }) => ({ tenant, group })))
  const rows = heads.flatMap(({ tenant, group }) =>
    rowsOfEvents(group.map(({ event }) => event)).map((row) => ({ tenant, ...row })),
  )
  const places = rows.map(
    ({ tenant, entries, after }) => sql`
      SELECT company_id, environment, position - ${after}, ${entries.map((entry) => entry.join(' ')).join()}, NOW(3)
        FROM feed_heads WHERE ${ofTenantSql(tenant)}`,
  )
  return [
    insertRows(
      'feed_heads',
      heads.map(({ tenant, group }) => ({ ...ofTenant(tenant), position: group.length })),
      addingUp(['position']),
    ),
    sql`INSERT INTO feed (company_id, environment, position, entries, created_at) ${joined(places, ' UNION ALL ')}`,
  ]
}

/**
 * Gives the events of a tenant their places and commits, in one round trip. So the process does not keep the head of
 * the feed locked while it is busy with other work. The transaction of knex then commits once more, which does nothing.
 *
 * @param trx a transaction of `publishDb`
 */
export async function commitWithPlaces(
  trx: Db,
  tenant: Tenant,
  events: readonly FeedEvent['event'][],
): Promise<void> {
  await runTogether(trx, [...feedStatements(events.map((event) => ({ tenant, event }))), COMMIT])
}

/** Is spelled as knex spells it, so that a test of crashes finds each commit by the same text. */
const COMMIT = rawSql('COMMIT;')

type WindowRow = { position: number; entries: string | null }

/**
 * Reads rows of the tenant's feed after a place, and the place of its latest event, both at one moment.
 *
 * @param count it reads at most this many rows
 */
export async function findFeedWindow(
  db: Db,
  tenant: Tenant,
  after: number,
  count: number,
): Promise<FeedWindow> {
  const own = ofTenantSql(tenant)
  const all = await readRows<WindowRow>(db)`
    (SELECT position, NULL AS entries FROM feed_heads WHERE ${own})
    UNION ALL
    (SELECT position, entries FROM feed WHERE ${own} AND position > ${after} ORDER BY position LIMIT ${count})`
  const rows = all
    .flatMap(({ position, entries }) => (entries === null ? [] : [toRow(position, entries)]))
    .sort((a, b) => a.position - b.position)
  return { head: all.find(({ entries }) => entries === null)?.position ?? 0, rows }
}

const toRow = (position: number, entries: string): FeedRow => ({
  position,
  entries: entries.split(',').map((entry) => entry.split(' ') as [string, string]),
})

/** The place of each tenant's latest event, by tenantKey. A tenant that never published is absent. */
export async function findFeedHeads(db: Db, tenants: readonly Tenant[]): Promise<Map<string, number>> {
  if (tenants.length === 0) return new Map()
  const rows = await readRows<TenantRow & { position: number }>(db)`
    SELECT company_id, environment, position FROM feed_heads WHERE ${isOneOf('feed_heads', tenants)}`
  return new Map(rows.map((row) => [tenantKey(tenantOf(row)), row.position]))
}

/** An api counts as a listener for this many seconds after it last noted that clients wait. */
const LISTENER_FRESH_S = 10

/** Notes that clients wait at the api with this address. */
export async function noteFeedListener(db: Db, address: string): Promise<void> {
  await execute(db)`
    INSERT INTO feed_listeners (address, heartbeat_at) VALUES (${address}, NOW(3))
    ON DUPLICATE KEY UPDATE heartbeat_at = VALUES(heartbeat_at)`
}

/** Removes this address, and the addresses of apis that have noted nothing for an hour. */
export async function removeFeedListener(db: Db, address: string): Promise<void> {
  await execute(db)`
    DELETE FROM feed_listeners WHERE address = ${address} OR heartbeat_at < NOW(3) - INTERVAL 1 HOUR`
}

/** The addresses `host:port` of the apis at which clients wait for events. */
export async function listFeedListeners(db: Db): Promise<string[]> {
  const rows = await readRows<{ address: string }>(db)`
    SELECT address FROM feed_listeners WHERE heartbeat_at > NOW(3) - INTERVAL ${LISTENER_FRESH_S} SECOND`
  return rows.map(({ address }) => address)
}
