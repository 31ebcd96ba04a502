import { isStatementTimeout } from '../connection/errors.ts'
import { DAY_MS } from '../../domain/instants.ts'
import { COUNTED_AT_MOST } from '../../domain/recovery/recovery.ts'
import { missedSegments, WIDENED_MS, type Segment } from '../../domain/recovery/segments.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { passes, type CompiledFilter } from '../../domain/webhook/filter/compile.ts'
import { judgeEvents } from '../../domain/webhook/filter/judging.ts'
import type { Db } from '../connection/connection.ts'
import { ofTenantSql } from '../conditions.ts'
import { withStatementLimit } from '../connection/query-guard.ts'
import { readRows } from '../connection/statements.ts'
import { findEvents, isNoTest } from '../event/events.ts'
import { listPauses } from '../webhook/pauses.ts'
import { findCreation } from '../webhook/webhooks.ts'
import { listSubscriptions } from '../webhook/subscriptions.ts'

type Window = { readonly webhookId: string; readonly since: Date; readonly until: Date }

/** The first round reads at most this many pauses. A webhook may be switched 60 times in an hour. */
const PAUSES_AT_ONCE = 500

/** Parts of a window. `rest`: where the remaining window begins; undefined: these are all parts. */
export type SegmentPage = { readonly segments: readonly Segment[]; readonly rest: Date | undefined }

/**
 * The parts of a window during which events made no delivery for the webhook. If there are many, it returns only the
 * first ones. Events older than the webhook are left out. Events older than `retentionDays` are left out too, because
 * their deliveries may have been purged, so nobody can tell whether they had any.
 */
export async function readSegments(
  db: Db,
  tenant: Tenant,
  { webhookId, since, until }: Window,
  { retentionDays, now }: Retention,
): Promise<SegmentPage> {
  const kept = new Date(now.getTime() - retentionDays * DAY_MS)
  const created = (await findCreation(db, tenant, webhookId)) ?? since
  const from = new Date(Math.max(since.getTime(), kept.getTime(), created.getTime()))
  const types = (await listSubscriptions(db, tenant, [webhookId])).get(webhookId) ?? []
  const wide = {
    since: new Date(from.getTime() - WIDENED_MS),
    until: new Date(until.getTime() + WIDENED_MS),
  }
  // Each round reads twice as many as the one before. A second round is needed only if hundreds of pauses lie within seconds.
  for (let limit = PAUSES_AT_ONCE; ; limit *= 2) {
    const pauses = await listPauses(db, webhookId, { ...wide, limit: limit + 1 })
    const next = pauses[limit]
    const rest = next && new Date(next.startsAt.getTime() - WIDENED_MS)
    if (rest && rest <= from) continue
    const window = { since: from, until: rest ?? until }
    return { segments: missedSegments(pauses.slice(0, limit), window, types), rest }
  }
}

type Retention = { readonly retentionDays: number; readonly now: Date }

/** A whole count stops after this time, by `clock`. The server ends each of its statements after the same time. */
const COUNT_LIMIT_MS = 1_000

/**
 * How many events of the window a recovery of missed events would bring. null if there are more than COUNTED_AT_MOST, or
 * the count takes too long.
 *
 * @param retention also has the clock, and the webhook's filter (null: it has none)
 */
export async function countMissed(
  db: Db,
  tenant: Tenant,
  window: Window,
  { filter, clock, ...retention }: Retention & Pick<Counting, 'filter'> & { readonly clock: () => Date },
): Promise<number | null> {
  let counted = 0
  const endMs = clock().getTime() + COUNT_LIMIT_MS
  const isInTime = () => clock().getTime() < endMs
  for (let since: Date | undefined = window.since; since;) {
    const page: SegmentPage = await readSegments(db, tenant, { ...window, since }, retention)
    for (const segment of page.segments) {
      const found = isInTime()
        ? await countInSegment(db, tenant, segment, {
            webhookId: window.webhookId,
            filter,
            most: COUNTED_AT_MOST + 1 - counted,
            isInTime,
          })
        : undefined
      counted += found ?? 0
      if (found === undefined || counted > COUNTED_AT_MOST) return null
    }
    since = page.rest
  }
  return counted
}

type Counting = {
  readonly webhookId: string
  readonly filter: CompiledFilter | null
  readonly most: number
  readonly isInTime: () => boolean
}

/** @returns undefined if it takes too long */
async function countInSegment(
  db: Db,
  tenant: Tenant,
  { from, until, eventTypes }: Segment,
  { webhookId, filter, most, isInTime }: Counting,
): Promise<number | undefined> {
  try {
    const found = await withStatementLimit(
      COUNT_LIMIT_MS,
      () => readRows<{ id: string }>(db)`
        select e.id FROM events e FORCE INDEX (events_list)
         WHERE ${ofTenantSql(tenant, 'e')}
           AND e.created_at >= ${from} AND e.created_at < ${until}
           AND e.type IN (${eventTypes}) AND ${isNoTest('e.id')}
           AND NOT EXISTS (SELECT 1 FROM deliveries d FORCE INDEX (deliveries_event)
                            WHERE d.event_id = e.id AND d.webhook_id = ${webhookId})
         LIMIT ${most}`,
    )
    if (!filter) return found.length
    // There may be more than `most` events, so the number of matches is unknown.
    if (found.length === most) return undefined
    const ids = found.map(({ id }) => id)
    let matching = 0
    for await (const { verdict } of judgeEvents((some) => findEvents(db, tenant, some), filter, ids)) {
      if (!isInTime()) return undefined
      if (passes(verdict)) matching += 1
    }
    return matching
  } catch (error) {
    if (isStatementTimeout(error)) return undefined
    throw error
  }
}

/**
 * How many failed deliveries of the webhook a recovery of the window would bring. Test events are not recovered. null
 * if the window has more than COUNTED_AT_MOST failed deliveries, test events included. It reads at most one row more
 * than that.
 */
export async function countFailed(db: Db, { webhookId, since, until }: Window): Promise<number | null> {
  const [row] = await readRows<{ seen: number | string; counted: number | string | null }>(db)`
    SELECT COUNT(*) AS seen, SUM(${isNoTest('event_id')}) AS counted
      FROM (SELECT event_id FROM deliveries FORCE INDEX (deliveries_status)
             WHERE webhook_id = ${webhookId} AND status = 'failed'
               AND created_at >= ${since} AND created_at < ${until}
             ORDER BY created_at, id LIMIT ${COUNTED_AT_MOST + 1}) page`
  return Number(row?.seen ?? 0) > COUNTED_AT_MOST ? null : Number(row?.counted ?? 0)
}
