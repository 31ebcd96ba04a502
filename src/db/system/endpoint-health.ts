import type { EndpointHealth } from '../../domain/webhook/health.js'
import { FROM_NOW, toMicroseconds } from '../clock.js'
import type { Db } from '../connection/connection.js'
import {
  foundBy,
  insertStatement,
  placeholders,
  rowsOf,
  run,
  type Run,
  type Statement,
  type StatementResult,
} from '../connection/statements.js'
import { toHealth, toHealthRow, type HealthRow } from '../webhook/health.js'

/** Health by webhook id. */
export type HealthByWebhook = ReadonlyMap<string, EndpointHealth>

/** The statement that finds those of the webhooks whose latest attempts failed; failingOf reads what it gives. */
export const failingStatement = (webhookIds: readonly string[]): Statement => ({
  sql: `SELECT webhook_id FROM webhook_health
         WHERE webhook_id IN (${placeholders(webhookIds.length)}) AND consecutive_failures > 0`,
  values: webhookIds,
})

export const failingOf = (result: StatementResult | undefined): string[] =>
  rowsOf<Pick<HealthRow, 'webhook_id'>>(result).map(({ webhook_id }) => webhook_id)

/** Locks the rows of the webhooks, lowest id first. One without a row is left out. */
export async function lockHealth(
  run: Run,
  webhookIds: readonly string[],
): Promise<Map<string, EndpointHealth>> {
  if (webhookIds.length === 0) return new Map()
  const [found] = await run([
    {
      sql: `SELECT * FROM webhook_health WHERE webhook_id IN (${placeholders(webhookIds.length)})
             ORDER BY webhook_id FOR UPDATE`,
      values: webhookIds,
    },
  ])
  return byWebhook(rowsOf<HealthRow>(found))
}

/** The statements that write the health of endpoints: one, or none when nothing changed. */
export function healthRows(changed: HealthByWebhook, now: Date): Statement[] {
  const rows = [...changed]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([webhookId, health]) => toHealthRow(webhookId, health, now))
  const [first] = rows
  if (!first) return []
  const columns = Object.keys(first) as (keyof HealthRow)[]
  return [
    insertStatement(
      `webhook_health (${columns.join(', ')})`,
      `(${placeholders(columns.length)})`,
      rows.map((row) => columns.map((column) => row[column])),
      `ON DUPLICATE KEY UPDATE ${columns.map((column) => `${column} = VALUES(${column})`).join(', ')}`,
    ),
  ]
}

/** Endpoints that limit their first attempts. */
export type LimitedEndpoints = { readonly endpoints: HealthByWebhook; readonly now: Date }

/**
 * Reads the endpoints that limit their first attempts now.
 *
 * @param changedAfter reads only those that changed since; undefined: all
 */
export async function readLimited(db: Db, changedAfter: Date | undefined): Promise<LimitedEndpoints> {
  // The join gives a row with the time even when there is no such endpoint.
  const found = await run(db, {
    sql: `SELECT NOW(3) AS now, h.* FROM (SELECT 1) AS clock
            LEFT JOIN webhook_health h
              ON h.limited_until > NOW(3) ${changedAfter ? 'AND h.changed_at >= ?' : ''}`,
    values: changedAfter ? [changedAfter] : [],
  })
  const rows = rowsOf<{ now: Date } & (HealthRow | { webhook_id: null })>(found)
  const isFound = (row: (typeof rows)[number]): row is { now: Date } & HealthRow => row.webhook_id !== null
  return { endpoints: byWebhook(rows.filter(isFound)), now: rows[0]?.now ?? new Date(0) }
}

/**
 * Takes the next probe of failing endpoints. Only one worker gets it. The others see the end of the lease as the time
 * of the next one, which the record of the probe moves.
 *
 * @returns the webhooks whose probe this worker may send
 */
export async function takeProbes(
  db: Db,
  webhookIds: readonly string[],
  leaseMs: number,
): Promise<Set<string>> {
  const results = await Promise.all(webhookIds.map((id) => run(db, takeProbe(id, leaseMs))))
  return new Set(webhookIds.filter((_, index) => foundBy(results[index]) > 0))
}

const takeProbe = (webhookId: string, leaseMs: number): Statement => ({
  sql: `UPDATE webhook_health SET probe_at = ${FROM_NOW}, probe_delivery_id = NULL, changed_at = NOW(3)
         WHERE webhook_id = ? AND probe_at <= NOW(3)`,
  values: [toMicroseconds(leaseMs), webhookId],
})

/** Notes which delivery is the probe of an endpoint; without one, gives the probe back. */
export async function settleProbe(db: Db, webhookId: string, deliveryId: string | undefined): Promise<void> {
  await run(db, {
    sql: `UPDATE webhook_health SET ${deliveryId === undefined ? 'probe_at = NOW(3)' : 'probe_delivery_id = ?'},
            changed_at = NOW(3) WHERE webhook_id = ? AND probe_at IS NOT NULL`,
    values: deliveryId === undefined ? [webhookId] : [deliveryId, webhookId],
  })
}

const byWebhook = (rows: readonly HealthRow[]): Map<string, EndpointHealth> =>
  new Map(rows.map((row) => [row.webhook_id, toHealth(row)]))
