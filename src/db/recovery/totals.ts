import { COUNTED_AT_MOST } from '../../domain/recovery/recovery.ts'
import { TEST_EVENT_TYPE } from '../../domain/event/event.ts'
import type { Db } from '../connection/connection.ts'
import { rowsOf, run } from '../connection/statements.ts'

type Window = { readonly webhookId: string; readonly since: Date; readonly until: Date }

/**
 * How many failed deliveries of the webhook a recovery of the window would bring; null when there are more than
 * COUNTED_AT_MOST. It reads no more rows than that. Test events are not recovered.
 */
export async function countFailed(db: Db, { webhookId, since, until }: Window): Promise<number | null> {
  const found = await run(db, {
    sql: `SELECT COUNT(*) AS seen, SUM(event_type <> ?) AS counted
            FROM (SELECT event_type FROM deliveries FORCE INDEX (deliveries_status)
                   WHERE webhook_id = ? AND status = 'failed' AND created_at >= ? AND created_at < ?
                   ORDER BY created_at, id LIMIT ?) page`,
    values: [TEST_EVENT_TYPE, webhookId, since, until, COUNTED_AT_MOST + 1],
  })
  const [row] = rowsOf<{ seen: number | string; counted: number | string | null }>(found)
  return Number(row?.seen ?? 0) > COUNTED_AT_MOST ? null : Number(row?.counted ?? 0)
}
