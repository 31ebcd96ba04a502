import type { Segment } from '../../domain/recovery/segments.ts'
import { isTestEventId } from '../../domain/ids.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { passes, type CompiledFilter } from '../../domain/webhook/filter/compile.ts'
import { judgeEvents, judgingLimit } from '../../domain/webhook/filter/judging.ts'
import { isAfter, ofTenantSql } from '../conditions.ts'
import type { SystemDb } from '../connection/connection.ts'
import { readRows, sql } from '../connection/statements.ts'
import { findEvents } from '../event/events.ts'
import type { SegmentPage } from './window.ts'
import { type RecoveryCursor } from './rows.ts'

/** An event that was published while the webhook was inactive. It may have a delivery; takeMissed checks that. */
export type MissedEvent = { readonly id: string; readonly type: string; readonly createdAt: Date }

export type MissedPage = {
  readonly events: readonly MissedEvent[]
  /** Where the next search begins, once all `events` are queued. */
  readonly next: NonNullable<RecoveryCursor>
  readonly isLast: boolean
}

/** One page reads at most this many events, of all types. It may find few missed events among them, or none. */
const SCANNED = 1_000
/** One page reads at most this many parts of the window. Each part takes a statement. */
const SEGMENTS_AT_ONCE = 50
/**
 * The longest time for which a page judges events by a filter, in milliseconds. The activity sends no heartbeat during
 * that time, so that time must be well below the activity's heartbeatTimeout of 10 s.
 */
const JUDGING_MS = 2_000

type Search = {
  readonly cursor: RecoveryCursor
  readonly limit: number
  /** The filter of the webhook, or null. */
  readonly filter: CompiledFilter | null
  /** Returns whether to stop judging events by the filter. */
  readonly isStopping: () => boolean
  readonly clock: () => Date
}

/**
 * Finds the next missed events after the cursor, in the order of their creation. Some of them may have a delivery.
 *
 * @param page the next parts of the window, from the cursor on
 * @returns undefined if there is nothing after the cursor
 */
export async function listMissed(
  db: SystemDb,
  tenant: Tenant,
  { segments, rest }: SegmentPage,
  { cursor, limit, filter, isStopping, clock }: Search,
): Promise<MissedPage | undefined> {
  const left = segments.filter(({ until }) => !cursor || until > cursor.at)
  const events: MissedEvent[] = []
  let next: RecoveryCursor
  let scannedLeft = SCANNED
  const isBelowLimit = judgingLimit(JUDGING_MS, clock)
  const mayJudge = (bytes: number) => isBelowLimit(bytes) && !isStopping()
  for (const segment of left.slice(0, SEGMENTS_AT_ONCE)) {
    const scanned = await scanSegment(db, tenant, segment, { cursor, limit: scannedLeft })
    const ofType = scanned.filter(({ id, type }) => segment.eventTypes.includes(type) && !isTestEventId(id))
    const room = limit - events.length
    const { missed, stoppedAt } = filter
      ? await firstMatches(db, tenant, ofType, { filter, most: room + 1, mayJudge })
      : { missed: ofType }
    const taken = missed.slice(0, room)
    events.push(...taken)
    const lastTaken = taken.at(-1)
    if (lastTaken && taken.length < missed.length) return { events, next: placeOf(lastTaken), isLast: false }
    // There is no room for the first event of this segment. So the next page begins where this segment does.
    if (taken.length < missed.length) return next && { events, next, isLast: false }
    if (stoppedAt) return { events, next: placeOf(stoppedAt), isLast: false }
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

/**
 * The first events that match, at most `most`. It reads no more events than it needs to find them.
 *
 * @param part `mayJudge` is called after each judged event, with the number of its bytes. If it returns false, the
 *   search ends after that event, which is `stoppedAt`
 */
async function firstMatches(
  db: SystemDb,
  tenant: Tenant,
  events: readonly MissedEvent[],
  {
    filter,
    most,
    mayJudge,
  }: {
    readonly filter: CompiledFilter
    readonly most: number
    readonly mayJudge: (bytes: number) => boolean
  },
): Promise<{ missed: MissedEvent[]; stoppedAt?: MissedEvent }> {
  const byId = new Map(events.map((event) => [event.id, event]))
  const missed: MissedEvent[] = []
  const read = (ids: readonly string[]) => findEvents(db, tenant, ids)
  for await (const { id, verdict, bytes } of judgeEvents(read, filter, [...byId.keys()])) {
    const event = byId.get(id)
    if (event && passes(verdict)) missed.push(event)
    if (missed.length === most) break
    if (event && !mayJudge(bytes)) return { missed, stoppedAt: event }
  }
  return { missed }
}

async function scanSegment(
  db: SystemDb,
  tenant: Tenant,
  { from, until }: Segment,
  { cursor, limit }: { readonly cursor: RecoveryCursor; readonly limit: number },
): Promise<MissedEvent[]> {
  const start = cursor && cursor.at >= from ? isAfter('created_at', cursor) : sql`created_at >= ${from}`
  return readRows<MissedEvent>(db)`
    SELECT id, type, created_at AS createdAt FROM events FORCE INDEX (events_list)
     WHERE ${ofTenantSql(tenant)} AND created_at < ${until} AND ${start}
     ORDER BY created_at, id LIMIT ${limit}`
}

export const placeOf = ({ createdAt, id }: MissedEvent) => ({ at: createdAt, id })
