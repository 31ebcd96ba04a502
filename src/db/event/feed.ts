import { rowsOfEvents, type FeedRow, type FeedWindow } from '../../domain/event/feed.ts'
import { tenantKey, type Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connection/connection.ts'
import { insertStatement, readRows, run, runTogether, type Statement } from '../connection/statements.ts'
import { ofTenantSql, tenantOf } from '../conditions.ts'

/** An event that gets a place in the feed of its tenant. */
export type FeedEvent = {
  readonly tenant: Tenant
  readonly event: { readonly id: string; readonly type: string }
}

/**
 * The statements that give events their places, in the order in which they come; at least one event. They are the last of a
 * transaction: the first one locks the heads of the tenants, in the order of their keys, and holds them until the commit.
 */
export function feedStatements(events: readonly FeedEvent[]): Statement[] {
  const byTenant = Map.groupBy(events, ({ tenant }) => tenantKey(tenant))
  const groups = [...byTenant].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group)
  const heads = groups.flatMap((group) => group.slice(0, 1).map(({ tenant }) => ({ tenant, group })))
  const rows = heads.flatMap(({ tenant, group }) =>
    rowsOfEvents(group.map(({ event }) => event)).map((row) => ({ tenant, ...row })),
  )
  return [
    insertStatement(
      'feed_heads (company_id, environment, position)',
      '(?, ?, ?)',
      heads.map(({ tenant, group }) => [tenant.companyId, tenant.environment, group.length]),
      'ON DUPLICATE KEY UPDATE position = position + VALUES(position)',
    ),
    {
      sql: `INSERT INTO feed (company_id, environment, position, entries, created_at) ${rows
        .map(
          ({ tenant }) =>
            `SELECT company_id, environment, position - ?, ?, NOW(3) FROM feed_heads WHERE ${ofTenantSql(tenant).sql}`,
        )
        .join(' UNION ALL ')}`,
      values: rows.flatMap(({ tenant, entries, after }) => [
        after,
        entries.map((entry) => entry.join(' ')).join(),
        ...ofTenantSql(tenant).values,
      ]),
    },
  ]
}

/**
 * Gives the events of a tenant their places and commits, in one round trip: a process that is busy must not hold the lock.
 * The transaction of knex then commits once more, which does nothing.
 *
 * @param trx of `publishDb`
 */
export async function commitWithPlaces(
  trx: Db,
  tenant: Tenant,
  events: readonly FeedEvent['event'][],
): Promise<void> {
  await runTogether(trx, [...feedStatements(events.map((event) => ({ tenant, event }))), COMMIT])
}

/** Written as knex writes it, so that a test of crashes finds each commit by the same text. */
const COMMIT: Statement = { sql: 'COMMIT;', values: [] }

type WindowRow = { position: number; entries: string | null }

/**
 * Reads rows of the tenant's feed behind a place, and the place of its latest event, both as of one moment.
 *
 * @param count rows at most
 */
export async function findFeedWindow(
  db: Db,
  tenant: Tenant,
  behind: number,
  count: number,
): Promise<FeedWindow> {
  const { sql, values } = ofTenantSql(tenant)
  const all = await readRows<WindowRow>(db, {
    sql: `(SELECT position, NULL AS entries FROM feed_heads WHERE ${sql})
          UNION ALL
          (SELECT position, entries FROM feed WHERE ${sql} AND position > ? ORDER BY position LIMIT ${count})`,
    values: [...values, ...values, behind],
  })
  const rows = all
    .flatMap(({ position, entries }) => (entries === null ? [] : [toRow(position, entries)]))
    .sort((a, b) => a.position - b.position)
  return { head: all.find(({ entries }) => entries === null)?.position ?? 0, rows }
}

const toRow = (position: number, entries: string): FeedRow => ({
  position,
  entries: entries.split(',').map((entry) => entry.split(' ') as [string, string]),
})

/** The places of the latest events of tenants, by tenantKey; none for a tenant that never published. */
export async function findFeedHeads(db: Db, tenants: readonly Tenant[]): Promise<Map<string, number>> {
  if (tenants.length === 0) return new Map()
  const rows = await readRows<HeadRow>(db, {
    sql: `SELECT company_id, environment, position FROM feed_heads
           WHERE (company_id, environment) IN (${tenants.map(() => '(?, ?)').join(', ')})`,
    values: tenants.flatMap(({ companyId, environment }) => [companyId, environment]),
  })
  return new Map(rows.map((row) => [tenantKey(tenantOf(row)), row.position]))
}

type HeadRow = { company_id: string; environment: Tenant['environment']; position: number }

/** An api is no longer rung once it has not noted for this many seconds that clients wait. */
const LISTENER_FRESH_S = 10

/** Notes that clients wait at the api with this address. */
export async function noteFeedListener(db: Db, address: string): Promise<void> {
  await run(db, {
    sql: `INSERT INTO feed_listeners (address, heartbeat_at) VALUES (?, NOW(3))
          ON DUPLICATE KEY UPDATE heartbeat_at = VALUES(heartbeat_at)`,
    values: [address],
  })
}

/** Removes the address, and those that were silent for an hour. */
export async function removeFeedListener(db: Db, address: string): Promise<void> {
  await run(db, {
    sql: 'DELETE FROM feed_listeners WHERE address = ? OR heartbeat_at < NOW(3) - INTERVAL 1 HOUR',
    values: [address],
  })
}

/** Addresses `host:port` of the apis where clients wait for events. */
export async function listFeedListeners(db: Db): Promise<string[]> {
  const rows = await readRows<{ address: string }>(db, {
    sql: 'SELECT address FROM feed_listeners WHERE heartbeat_at > NOW(3) - INTERVAL ? SECOND',
    values: [LISTENER_FRESH_S],
  })
  return rows.map(({ address }) => address)
}
