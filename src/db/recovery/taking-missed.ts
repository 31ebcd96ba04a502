import type { Segment } from '../../domain/recovery/segments.ts'
import type { SegmentPage } from './missed.ts'
import { newId } from '../../domain/ids.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { maximumAttempts } from '../../domain/webhook/webhook.ts'
import type { SystemDb } from '../connection/connection.ts'
import { placeholders, rowsOf, run } from '../connection/statements.ts'
import { insertDeliveries, type NewDelivery } from '../delivery/deliveries.ts'
import { insertStarts } from '../outbox/outbox.ts'
import { addToCounters } from '../webhook/counters.ts'
import { BEHIND, type RecoveryCursor } from './candidates.ts'
import { noteTaken, type Take } from './taking-failed.ts'

/** An event that made no delivery for the webhook, because it was inactive. */
type MissedEvent = { readonly id: string; readonly type: string; readonly createdAt: Date }

export type MissedPage = {
  readonly events: readonly MissedEvent[]
  /** Where the search goes on once all of them are queued. */
  readonly next: NonNullable<RecoveryCursor>
  readonly isLast: boolean
}

/** Events that one page looks at. Those of other types are among them, so a page may have few or none. */
const SCANNED = 1_000
/** Parts of the window that one page looks at: each takes a statement. */
const SEGMENTS_AT_ONCE = 50

/**
 * Finds the next missed events behind the cursor, in the order of their creation. It may name some that were delivered.
 *
 * @param page the next parts of the window, from the cursor on
 * @returns undefined when there is nothing behind the cursor
 */
export async function listMissed(
  db: SystemDb,
  tenant: Tenant,
  { segments, rest }: SegmentPage,
  { cursor, limit }: { readonly cursor: RecoveryCursor; readonly limit: number },
): Promise<MissedPage | undefined> {
  const left = segments.filter(({ until }) => !cursor || until > cursor.at)
  const events: MissedEvent[] = []
  let next: RecoveryCursor
  let scannedLeft = SCANNED
  for (const segment of left.slice(0, SEGMENTS_AT_ONCE)) {
    const scanned = await scanSegment(db, tenant, segment, { cursor, limit: scannedLeft })
    const missed = scanned.filter(({ type }) => segment.eventTypes.includes(type))
    const taken = missed.slice(0, limit - events.length)
    events.push(...taken)
    const lastTaken = taken.at(-1)
    if (lastTaken && taken.length < missed.length) return { events, next: placeOf(lastTaken), isLast: false }
    // There is no room left for the first of this segment: the next page begins where this segment does.
    if (taken.length < missed.length) return next && { events, next, isLast: false }
    const lastScanned = scanned.at(-1)
    if (lastScanned && scanned.length === scannedLeft)
      return { events, next: placeOf(lastScanned), isLast: false }
    next = { at: segment.until, id: '' }
    scannedLeft -= scanned.length
  }
  const isAll = left.length <= SEGMENTS_AT_ONCE
  if (isAll && rest) next = { at: rest, id: '' }
  return next && { events, next, isLast: isAll && rest === undefined }
}

async function scanSegment(
  db: SystemDb,
  { companyId, environment }: Tenant,
  { from, until }: Segment,
  { cursor, limit }: { readonly cursor: RecoveryCursor; readonly limit: number },
): Promise<MissedEvent[]> {
  const isInside = cursor !== undefined && cursor.at >= from
  const found = await run(db, {
    sql: `SELECT id, type, created_at FROM events FORCE INDEX (events_list)
           WHERE company_id = ? AND environment = ? AND created_at < ?
             AND ${isInside ? BEHIND : 'created_at >= ?'}
           ORDER BY created_at, id LIMIT ${limit}`,
    values: [...[companyId, environment, until], ...(isInside ? [cursor.at, cursor.at, cursor.id] : [from])],
  })
  return rowsOf<{ id: string; type: string; created_at: Date }>(found).map(
    ({ created_at: createdAt, ...row }) => ({ ...row, createdAt }),
  )
}

const placeOf = ({ createdAt, id }: MissedEvent) => ({ at: createdAt, id })

/**
 * Makes the deliveries of a page of missed events. It locks the events, so none of them is purged meanwhile; those that have a
 * delivery for the webhook, or whose type it no longer subscribes to, are passed over.
 */
export const takeMissed =
  ({ events, next }: MissedPage): Take =>
  async (trx, row, { room, maxRetries, now }) => {
    const { webhook_id: webhookId, company_id: companyId, environment } = row
    const tenant = { companyId, environment }
    const wanted = events.slice(0, room)
    const isWhole = wanted.length === events.length
    const last = wanted.at(-1)
    const cursor = isWhole ? next : last && placeOf(last)
    const missed = wanted.length === 0 ? [] : await lockMissed(trx, tenant, webhookId, wanted)
    const deliveries = missed.map((event): NewDelivery => ({
      id: newId('delivery'),
      webhookId,
      eventId: event.id,
      eventType: event.type,
      createdAt: now,
      maxAttempts: maximumAttempts(maxRetries),
      isInTemporal: false,
      recoveryBase: 0,
    }))
    if (deliveries.length > 0) {
      await insertDeliveries(trx, tenant, deliveries)
      await insertStarts(trx, tenant, deliveries)
    }
    if (cursor)
      await noteTaken(
        trx,
        row.id,
        cursor,
        deliveries.map(({ id }) => ({ id, attempts: 0 })),
      )
    if (deliveries.length > 0) {
      await addToCounters(trx, [{ webhookId, changes: { pending: deliveries.length } }])
    }
    return { isWhole, queued: deliveries.length }
  }

/** Counts one more delivery of each of the events that is still missed. @returns these */
async function lockMissed(
  trx: SystemDb,
  { companyId, environment }: Tenant,
  webhookId: string,
  events: readonly MissedEvent[],
): Promise<MissedEvent[]> {
  const ids = events.map(({ id }) => id)
  const ofEvents = `company_id = ? AND environment = ? AND id IN`
  const locked = await run(trx, {
    sql: `SELECT id FROM events FORCE INDEX (PRIMARY) WHERE ${ofEvents} (${placeholders(ids.length)}) ORDER BY id FOR UPDATE`,
    values: [companyId, environment, ...ids],
  })
  const there = new Set(rowsOf<{ id: string }>(locked).map(({ id }) => id))
  const delivered = new Set(
    (await trx('deliveries')
      .whereIn('event_id', ids)
      .where({ webhook_id: webhookId })
      .pluck('event_id')) as string[],
  )
  const types = (await trx('webhook_event_types')
    .where({ webhook_id: webhookId })
    .pluck('event_type')) as string[]
  const missed = events.filter(({ id, type }) => there.has(id) && !delivered.has(id) && types.includes(type))
  if (missed.length > 0) {
    await run(trx, {
      sql: `UPDATE events FORCE INDEX (PRIMARY) SET remaining = remaining + 1 WHERE ${ofEvents} (${placeholders(missed.length)})`,
      values: [companyId, environment, ...missed.map(({ id }) => id)],
    })
  }
  return missed
}
