import type { EndpointHealth } from '../../domain/webhook/health.ts'
import type { SystemDb } from '../connection/connection.ts'
import {
  execute,
  inBatchTransaction,
  insertRows,
  keyTable,
  readRows,
  rowsOf,
  sql,
  upsertRows,
  type Run,
  type Statement,
  type StatementResult,
} from '../connection/statements.ts'
import { toHealth, toHealthRow, type HealthRow } from './health-rows.ts'
import { afterNow } from '../clock.ts'

/** Health by webhook id. */
export type HealthByWebhook = ReadonlyMap<string, EndpointHealth>

/** The health of an endpoint that fails, and when its row was last written. */
export type FailingEndpoint = { readonly health: EndpointHealth; readonly changedAt: Date }

/** The statement that finds those webhooks whose latest attempt failed. failingOf reads its result. */
export const failingStatement = (webhookIds: readonly string[]): Statement => sql`
  SELECT * FROM webhook_health WHERE webhook_id IN (${webhookIds}) AND consecutive_failures > 0`

export const failingOf = (result: StatementResult | undefined): Map<string, FailingEndpoint> =>
  new Map(
    rowsOf<HealthRow>(result).map((row) => [
      row.webhook_id,
      { health: toHealth(row), changedAt: row.changed_at },
    ]),
  )

type LockedHealth = {
  readonly locked: HealthByWebhook
  /** Webhooks whose row another transaction locks. */
  readonly lockedElsewhere: ReadonlySet<string>
  /** Webhooks without a row, because none of their attempts has failed yet. */
  readonly missing: readonly string[]
}

/** Locks the health of webhooks. It skips rows that another transaction locks. */
export async function lockHealth(run: Run<SystemDb>, webhookIds: readonly string[]): Promise<LockedHealth> {
  if (webhookIds.length === 0) return { locked: new Map(), lockedElsewhere: new Set(), missing: [] }
  const [found, there] = await run([
    sql`SELECT h.* FROM ${healthOf(webhookIds)} FOR UPDATE SKIP LOCKED`,
    sql`SELECT h.webhook_id FROM ${healthOf(webhookIds)}`,
  ])
  const locked = byWebhook(rowsOf<HealthRow>(found))
  const ids = new Set(rowsOf<Pick<HealthRow, 'webhook_id'>>(there).map(({ webhook_id }) => webhook_id))
  return {
    locked,
    lockedElsewhere: new Set([...ids].filter((id) => !locked.has(id))),
    missing: webhookIds.filter((id) => !ids.has(id)),
  }
}

const healthOf = (webhookIds: readonly string[]): Statement => sql`
  ${keyTable(webhookIds)} wanted
  STRAIGHT_JOIN webhook_health h FORCE INDEX (PRIMARY) ON h.webhook_id = wanted.value`

/** Changed health to write. If another transaction inserts a `missing` row first, the write fails with the duplicate error. */
export type ChangedHealth = Pick<LockedHealth, 'missing'> & { readonly changed: HealthByWebhook }

/**
 * The statements that write the health of endpoints. Send them with the COMMIT, because other transactions wait for an
 * inserted row.
 */
export function healthRows({ changed, missing }: ChangedHealth, now: Date): Statement[] {
  const added = new Set(missing)
  const rows = [...changed]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([webhookId, health]) => toHealthRow(webhookId, health, now))
  const byKind = Map.groupBy(rows, ({ webhook_id: id }) => added.has(id))
  const [inserted = [], updated = []] = [byKind.get(true), byKind.get(false)]
  return [
    ...(inserted.length > 0 ? [insertRows('webhook_health', inserted)] : []),
    ...(updated.length > 0 ? [upsertRows('webhook_health', updated)] : []),
  ]
}

/** Endpoints whose first attempts are limited. */
type LimitedEndpoints = { readonly endpoints: HealthByWebhook; readonly now: Date }

/**
 * Reads the endpoints whose first attempts are limited now.
 *
 * @param changedAfter reads every endpoint that changed since then, limited or not; undefined: all limited endpoints
 */
export async function readLimited(db: SystemDb, changedAfter: Date | undefined): Promise<LimitedEndpoints> {
  // The join gives a row with the time even if it finds no endpoint.
  const condition = changedAfter ? sql`h.changed_at >= ${changedAfter}` : sql`h.limited_until > NOW(3)`
  const rows = await readRows<{ now: Date } & (HealthRow | { webhook_id: null })>(db)`
    SELECT NOW(3) AS now, h.* FROM (SELECT 1) AS clock LEFT JOIN webhook_health h ON ${condition}`
  const isFound = (row: (typeof rows)[number]): row is { now: Date } & HealthRow => row.webhook_id !== null
  return { endpoints: byWebhook(rows.filter(isFound)), now: rows[0]?.now ?? new Date(0) }
}

const byWebhook = (rows: readonly HealthRow[]): Map<string, EndpointHealth> =>
  new Map(rows.map((row) => [row.webhook_id, toHealth(row)]))

/**
 * Takes the next probe of failing endpoints. Only one worker gets the probe of an endpoint. The following probe is due
 * at the end of the lease, unless the recorded outcome of this one sets another time. Until settleProbe stores the
 * delivery, `probe_delivery_id` is the owner.
 *
 * @returns the webhooks whose probe this worker may send. Rows that another transaction locks are skipped
 */
export async function takeProbes(
  batchDb: SystemDb,
  webhookIds: readonly string[],
  owner: string,
  leaseMs: number,
): Promise<Set<string>> {
  return inBatchTransaction(batchDb, async (trx) => {
    const [due] = await trx.run([
      sql`SELECT h.webhook_id FROM ${healthOf(webhookIds)} WHERE h.probe_at <= NOW(3) FOR UPDATE SKIP LOCKED`,
    ])
    const ids = rowsOf<Pick<HealthRow, 'webhook_id'>>(due).map(({ webhook_id }) => webhook_id)
    if (ids.length > 0) {
      await trx.commit([
        sql`
          UPDATE webhook_health SET probe_at = ${afterNow(leaseMs)}, probe_delivery_id = ${owner}, changed_at = NOW(3)
           WHERE webhook_id IN (${ids})`,
      ])
    }
    return new Set(ids)
  })
}

/** Stores which delivery is the probe that the owner has taken. */
export async function settleProbe(
  db: SystemDb,
  webhookId: string,
  owner: string,
  deliveryId: string,
): Promise<void> {
  await execute(db)`
    UPDATE webhook_health SET probe_delivery_id = ${deliveryId}, changed_at = NOW(3)
     WHERE webhook_id = ${webhookId} AND probe_delivery_id = ${owner}`
}

/** Makes the next probe due now, because nothing was sent with this one. @param holder the probe's delivery, or its owner */
export async function giveBackProbe(db: SystemDb, webhookId: string, holder: string): Promise<void> {
  await execute(db)`
    UPDATE webhook_health SET probe_at = NOW(3), probe_delivery_id = NULL, changed_at = NOW(3)
     WHERE webhook_id = ${webhookId} AND probe_delivery_id = ${holder} AND probe_at IS NOT NULL`
}
