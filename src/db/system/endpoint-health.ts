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

/**
 * Locks the health of webhooks, lowest id first. A webhook without a row gets one, so that two transactions cannot both
 * find nothing.
 *
 * @param gone webhooks to lock before, because the transaction will change them
 */
export async function lockHealth(
  run: Run,
  webhookIds: readonly string[],
  gone: readonly string[],
): Promise<Map<string, EndpointHealth>> {
  if (webhookIds.length === 0) return new Map()
  const ids = [...webhookIds].sort()
  const results = await run([
    ...(gone.length > 0 ? [lockWebhooks(gone)] : []),
    insertStatement(
      'webhook_health (webhook_id, changed_at)',
      '(?, NOW(3))',
      ids.map((id) => [id]),
      'ON DUPLICATE KEY UPDATE webhook_id = VALUES(webhook_id)',
    ),
    {
      sql: `SELECT * FROM webhook_health WHERE webhook_id IN (${placeholders(ids.length)})
             ORDER BY webhook_id FOR UPDATE`,
      values: ids,
    },
  ])
  return byWebhook(rowsOf<HealthRow>(results.at(-1)))
}

const lockWebhooks = (ids: readonly string[]): Statement => ({
  sql: `SELECT id FROM webhooks WHERE id IN (${placeholders(ids.length)}) ORDER BY id FOR UPDATE`,
  values: ids,
})

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
 * @param changedAfter reads all that changed since, whether they limit any or not; undefined: all that do
 */
export async function readLimited(db: Db, changedAfter: Date | undefined): Promise<LimitedEndpoints> {
  // The join gives a row with the time even when there is no such endpoint.
  const found = await run(db, {
    sql: `SELECT NOW(3) AS now, h.* FROM (SELECT 1) AS clock
            LEFT JOIN webhook_health h ON ${changedAfter ? 'h.changed_at >= ?' : 'h.limited_until > NOW(3)'}`,
    values: changedAfter ? [changedAfter] : [],
  })
  const rows = rowsOf<{ now: Date } & (HealthRow | { webhook_id: null })>(found)
  const isFound = (row: (typeof rows)[number]): row is { now: Date } & HealthRow => row.webhook_id !== null
  return { endpoints: byWebhook(rows.filter(isFound)), now: rows[0]?.now ?? new Date(0) }
}

/**
 * Takes the next probe of failing endpoints. Only one worker gets it. The others see the end of the lease as the time
 * of the next one, which the record of the probe moves. Until settleProbe the owner stands in place of its delivery.
 *
 * @returns the webhooks whose probe this worker may send; one whose row cannot be changed now is left out
 */
export async function takeProbes(
  db: Db,
  webhookIds: readonly string[],
  owner: string,
  leaseMs: number,
): Promise<Set<string>> {
  const take = (webhookId: string): Statement => ({
    sql: `UPDATE webhook_health SET probe_at = ${FROM_NOW}, probe_delivery_id = ?, changed_at = NOW(3)
           WHERE webhook_id = ? AND probe_at <= NOW(3)`,
    values: [toMicroseconds(leaseMs), owner, webhookId],
  })
  const results = await Promise.allSettled(webhookIds.map((id) => run(db, take(id))))
  return new Set(
    webhookIds.filter((_, index) => {
      const result = results[index]
      return result?.status === 'fulfilled' && foundBy(result.value) > 0
    }),
  )
}

/** Notes which delivery is the probe that the owner has taken. */
export async function settleProbe(
  db: Db,
  webhookId: string,
  owner: string,
  deliveryId: string,
): Promise<void> {
  await run(db, {
    sql: `UPDATE webhook_health SET probe_delivery_id = ?, changed_at = NOW(3)
           WHERE webhook_id = ? AND probe_delivery_id = ?`,
    values: [deliveryId, webhookId, owner],
  })
}

/** Lets the next probe go at once, because nothing was sent with this one. @param holder its delivery, or its owner */
export async function giveBackProbe(db: Db, webhookId: string, holder: string): Promise<void> {
  await run(db, {
    sql: `UPDATE webhook_health SET probe_at = NOW(3), probe_delivery_id = NULL, changed_at = NOW(3)
           WHERE webhook_id = ? AND probe_delivery_id = ? AND probe_at IS NOT NULL`,
    values: [webhookId, holder],
  })
}

const byWebhook = (rows: readonly HealthRow[]): Map<string, EndpointHealth> =>
  new Map(rows.map((row) => [row.webhook_id, toHealth(row)]))
