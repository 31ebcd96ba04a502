import type { Pause } from '../../domain/recovery/segments.ts'
import type { Db } from '../connection/connection.ts'
import { execute, readRows, sql, type Statement } from '../connection/statements.ts'

/** The settings of a webhook that decide whether events make deliveries for it. */
type Subscription = { readonly isActive: boolean; readonly events: readonly string[] }

const SEPARATOR = ','

/**
 * Begins or ends a pause of a webhook, as the change requires. Call it in the transaction of the change. A change of the
 * event types of an inactive webhook ends a pause and begins another one.
 *
 * @param before undefined: the webhook is new
 */
export async function notePause(
  trx: Db,
  webhookId: string,
  { before, after, now }: { before: Subscription | undefined; after: Subscription; now: Date },
): Promise<void> {
  const isSame = before?.events.join(SEPARATOR) === after.events.join(SEPARATOR)
  if (before?.isActive === after.isActive && (after.isActive || isSame)) return
  if (before?.isActive === false) {
    await execute(
      trx,
    )`UPDATE webhook_pauses SET ends_at = ${now} WHERE webhook_id = ${webhookId} AND ends_at IS NULL`
  }
  if (!after.isActive) {
    await execute(trx)`
      INSERT INTO webhook_pauses (webhook_id, starts_at, event_types)
      VALUES (${webhookId}, ${now}, ${after.events.join(SEPARATOR)})`
  }
}

/**
 * The statement that begins a pause, if the statement before it changed the webhook. In that case it always writes a row,
 * because the next statement uses its ROW_COUNT().
 */
export const pauseIfChanged = (webhookId: string, now: Date): Statement => sql`
  INSERT INTO webhook_pauses (webhook_id, starts_at, event_types)
  SELECT ${webhookId}, ${now}, COALESCE((SELECT GROUP_CONCAT(event_type SEPARATOR ${SEPARATOR})
                                           FROM webhook_event_types WHERE webhook_id = ${webhookId}), '')
    FROM DUAL WHERE ROW_COUNT() > 0`

/** Removes the pauses of a deleted webhook. */
export async function deletePauses(trx: Db, webhookId: string): Promise<void> {
  await execute(trx)`DELETE FROM webhook_pauses WHERE webhook_id = ${webhookId}`
}

/** A part of a webhook's pauses: those that began before `until` and had not ended before `since`. */
type PausePart = { readonly since: Date; readonly until: Date; readonly limit: number }

/**
 * The first `limit` pauses of the part, oldest first. Pauses of a webhook do not overlap. So the pause that covers
 * `since` is the last one that began before `since`.
 */
export const listPauses = (db: Db, webhookId: string, { since, until, limit }: PausePart): Promise<Pause[]> =>
  readPauses(
    db,
    sql`starts_at >= COALESCE((SELECT MAX(starts_at) FROM webhook_pauses FORCE INDEX (webhook_pauses_webhook)
                                WHERE webhook_id = ${webhookId} AND starts_at <= ${since}), ${since})
        AND webhook_id = ${webhookId} AND starts_at < ${until} AND (ends_at IS NULL OR ends_at >= ${since})
        ORDER BY starts_at, id LIMIT ${limit}`,
  )

/** The last `limit` pauses of the part, newest first. */
export const listLatestPauses = (
  db: Db,
  webhookId: string,
  { since, until, limit }: PausePart,
): Promise<Pause[]> =>
  readPauses(
    db,
    sql`webhook_id = ${webhookId} AND starts_at < ${until} AND (ends_at IS NULL OR ends_at >= ${since})
        ORDER BY starts_at DESC, id DESC LIMIT ${limit}`,
  )

/** @param part the conditions after WHERE */
async function readPauses(db: Db, part: Statement): Promise<Pause[]> {
  const rows = await readRows<PauseRow>(db)`
    SELECT starts_at, ends_at, event_types FROM webhook_pauses FORCE INDEX (webhook_pauses_webhook)
     WHERE ${part}`
  return rows.map((row) => ({
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    eventTypes: row.event_types === '' ? [] : row.event_types.split(SEPARATOR),
  }))
}

type PauseRow = { starts_at: Date; ends_at: Date | null; event_types: string }
