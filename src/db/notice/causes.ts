import { HOUR_MS } from '../../domain/instants.ts'
import { noticeOf, type NewNotice, type NoticeKind } from '../../domain/notice/notice.ts'
import { tenantOf, type TenantRow } from '../conditions.ts'
import type { SystemDb } from '../connection/connection.ts'
import { rawSql, readRows, sql, type Statement } from '../connection/statements.ts'

/*
 * Each statement reads a range of one index, and joins notices to leave out causes that have a notice already.
 * STRAIGHT_JOIN keeps that order. A server that began with the webhooks would read all of them.
 */

/** One statement finds at most this many notices. The next round finds the others. */
const LIMIT = 10_000

/** SQL for the beginning of the hour in which a time lies. */
const hourOf = (time: string) => rawSql(`DATE(${time}) + INTERVAL HOUR(${time}) HOUR`)

/** Joins the notice of a cause, if there is one. */
const joinNotice = (kind: NoticeKind, target: Statement, hour: Statement) =>
  sql`LEFT JOIN notices n ON n.kind = ${kind} AND n.target_id = ${target} AND n.hour = ${hour}`

/** A condition for endpoints that fail, with the index for it. */
const FAILING = {
  /** First attempts go one at a time, because the circuit breaker is open. */
  probed: {
    index: 'webhook_health_limited',
    condition: (now: Date) => sql`h.limited_until > ${now} AND h.probe_at IS NOT NULL`,
  },
  /** No attempt succeeded for an hour. */
  long: {
    index: 'webhook_health_counted',
    condition: (now: Date) => sql`h.counted_since <= ${new Date(now.getTime() - HOUR_MS)}`,
  },
}

type FailingRow = TenantRow & { webhook_id: string; failing_since: Date; last_error: string | null }

/**
 * Active webhooks whose endpoints fail and that have no notice of it yet. Webhooks of suspended companies are left out,
 * because without attempts nobody knows the state of their endpoints.
 *
 * @param after leaves out endpoints that began to fail at or before this time, because their notice may have been purged
 */
export async function listFailing(
  db: SystemDb,
  how: keyof typeof FAILING,
  { now, after }: { readonly now: Date; readonly after: Date },
): Promise<NewNotice[]> {
  const { index, condition } = FAILING[how]
  const kind = 'webhook_failing'
  const found = await readRows<FailingRow>(db)`
    SELECT STRAIGHT_JOIN h.webhook_id, w.company_id, w.environment, h.failing_since, h.last_error
      FROM webhook_health h FORCE INDEX (${rawSql(index)})
      JOIN webhooks w FORCE INDEX (PRIMARY) ON w.id = h.webhook_id
      LEFT JOIN companies c FORCE INDEX (PRIMARY) ON c.id = w.company_id
      ${joinNotice(kind, sql`h.webhook_id`, hourOf('h.failing_since'))}
     WHERE ${condition(now)} AND h.failing_since > ${after}
       AND w.is_active = 1 AND w.deleted_at IS NULL AND c.suspended_at IS NULL AND n.id IS NULL
     LIMIT ${LIMIT}`
  return found.map((row) =>
    noticeOf(
      { kind, tenant: tenantOf(row), targetId: row.webhook_id, causeAt: row.failing_since },
      { at: row.failing_since, error: row.last_error },
    ),
  )
}

type FailedRow = TenantRow & { webhook_id: string; starts_at: Date; failed: string | number }

/**
 * How many deliveries of each webhook failed for good, in the current hour and in earlier hours. An hour is left out if
 * its notice has this number already.
 *
 * @param hours how many hours before the current one
 */
export async function listFailedDeliveries(
  db: SystemDb,
  { thisHour, hours }: { readonly thisHour: Date; readonly hours: number },
): Promise<NewNotice[]> {
  const kind = 'deliveries_failed'
  const starts = Array.from({ length: hours + 1 }, (_, back) => new Date(thisHour.getTime() - back * HOUR_MS))
  const found = await readRows<FailedRow>(db)`
    SELECT STRAIGHT_JOIN f.webhook_id, w.company_id, w.environment, f.starts_at, f.failed
      FROM (SELECT webhook_id, starts_at, SUM(failed_deliveries) AS failed
              FROM webhook_stats_hours FORCE INDEX (webhook_stats_hours_failed)
             WHERE starts_at IN (${starts}) AND failed_deliveries > 0
             GROUP BY webhook_id, starts_at) f
      JOIN webhooks w FORCE INDEX (PRIMARY) ON w.id = f.webhook_id
      ${joinNotice(kind, sql`f.webhook_id`, sql`f.starts_at`)}
     WHERE w.deleted_at IS NULL AND (n.id IS NULL OR n.total < f.failed)
     ORDER BY n.id IS NOT NULL
     LIMIT ${LIMIT}`
  return found.map((row) =>
    noticeOf(
      { kind, tenant: tenantOf(row), targetId: row.webhook_id, causeAt: row.starts_at },
      { total: Number(row.failed) },
    ),
  )
}

type KeyRow = TenantRow & { id: string; expires_at: Date }

/** The keys that one kind of notice is about. They end within a time, and are either in rotation or not. */
type Ending = { readonly after: Date; readonly until: Date; readonly isInRotation: boolean }

/** Keys that end soon and have no notice of it yet. Disabled and revoked keys are left out. */
export async function listEndingKeys(
  db: SystemDb,
  kind: NoticeKind,
  { after, until, isInRotation }: Ending,
): Promise<NewNotice[]> {
  const found = await readRows<KeyRow>(db)`
    SELECT STRAIGHT_JOIN k.id, k.company_id, k.environment, k.expires_at
      FROM api_keys k FORCE INDEX (api_keys_expiry)
      ${joinNotice(kind, sql`k.id`, hourOf('k.expires_at'))}
     WHERE k.expires_at > ${after} AND k.expires_at <= ${until} AND k.revoked_at IS NULL AND k.is_active = 1
       AND k.rotated_to IS ${isInRotation ? sql`NOT NULL` : sql`NULL`} AND n.id IS NULL
     LIMIT ${LIMIT}`
  return found.map((row) =>
    noticeOf(
      { kind, tenant: tenantOf(row), targetId: row.id, causeAt: row.expires_at },
      { at: row.expires_at },
    ),
  )
}
