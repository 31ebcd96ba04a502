import { isStatementTimeout } from '../../domain/database-errors.ts'
import { DAY_MS } from '../../domain/instants.ts'
import { COUNTED_AT_MOST } from '../../domain/recovery/recovery.ts'
import { missedSegments, WIDENED_MS, type Segment } from '../../domain/recovery/segments.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connection/connection.ts'
import { readStatementWithin } from '../connection/limited-read.ts'
import { placeholders } from '../connection/statements.ts'
import { listPauses } from '../webhook/pauses.ts'
import { listSubscriptions } from '../webhook/subscriptions.ts'

type Window = { readonly webhookId: string; readonly since: Date; readonly until: Date }

/**
 * The parts of a window in which events made no delivery for the webhook. Older events than `retentionDays` are left out:
 * their deliveries may have been purged, and nobody could tell those that were made from those that were not.
 */
export async function readSegments(
  db: Db,
  tenant: Tenant,
  { webhookId, since, until }: Window,
  { retentionDays, now }: { readonly retentionDays: number; readonly now: Date },
): Promise<Segment[]> {
  const kept = new Date(now.getTime() - retentionDays * DAY_MS)
  const window = { since: since < kept ? kept : since, until }
  const types = (await listSubscriptions(db, tenant, [webhookId])).get(webhookId) ?? []
  const wide = {
    since: new Date(window.since.getTime() - WIDENED_MS),
    until: new Date(until.getTime() + WIDENED_MS),
  }
  return missedSegments(await listPauses(db, webhookId, wide), window, types)
}

const COUNT_LIMIT_MS = 1_000

/**
 * How many events of the segments have no delivery for the webhook; null when there are more than COUNTED_AT_MOST, or when it
 * takes too long to tell.
 */
export async function countMissed(
  db: Db,
  { companyId, environment }: Tenant,
  webhookId: string,
  segments: readonly Segment[],
): Promise<number | null> {
  let counted = 0
  const endMs = performance.now() + COUNT_LIMIT_MS
  for (const { from, until, eventTypes } of segments) {
    if (performance.now() > endMs) return null
    const sql = `select e.id FROM events e FORCE INDEX (events_list)
                  WHERE e.company_id = ? AND e.environment = ? AND e.created_at >= ? AND e.created_at < ?
                    AND e.type IN (${placeholders(eventTypes.length)})
                    AND NOT EXISTS (SELECT 1 FROM deliveries d FORCE INDEX (deliveries_event)
                                     WHERE d.event_id = e.id AND d.webhook_id = ?)
                  LIMIT ${COUNTED_AT_MOST + 1 - counted}`
    const values = [companyId, environment, from, until, ...eventTypes, webhookId]
    const found = await readStatementWithin(db, { sql, values }, COUNT_LIMIT_MS).catch(orUndefined)
    counted += found?.length ?? 0
    if (!found || counted > COUNTED_AT_MOST) return null
  }
  return counted
}

function orUndefined(error: unknown): undefined {
  if (!isStatementTimeout(error)) throw error
}
