import type { SystemDb } from '../connection/connection.ts'
import type { OutboxFigures } from '../../domain/status.ts'
import { readRows, sql, type Statement } from '../connection/statements.ts'

/** Rows are counted up to this number. Beyond it the server's estimate is used. */
const COUNTED_ROWS = 10_000
/** The longest wait is searched among the OLDEST_ROWS rows that were queued first, and among QUEUES queues. */
const OLDEST_ROWS = 1_000
const QUEUES = 1_000

/** Measures the outbox. Reads at most 12,000 index entries, however many rows wait. */
export async function measureOutbox(db: SystemDb): Promise<OutboxFigures> {
  const [row] = await readRows<{ counted: number; first: number | null; queue: number | null }>(db)`
    SELECT (SELECT COUNT(*) FROM (SELECT id FROM outbox LIMIT ${COUNTED_ROWS}) some) AS counted,
           (${oldest(sql`SELECT lane, available_at FROM outbox ORDER BY id LIMIT ${OLDEST_ROWS}`)}) AS first,
           (${oldest(sql`
             SELECT lane, MIN(available_at) AS available_at FROM outbox
              GROUP BY lane, company_id LIMIT ${QUEUES}`)}) AS queue`
  const counted = row?.counted ?? 0
  return {
    pending: counted < COUNTED_ROWS ? counted : Math.max(counted, await estimateRows(db)),
    oldestSeconds: Math.max(0, row?.first ?? 0, row?.queue ?? 0) / 1e6,
  }
}

/** How many microseconds ago the first of the rows became due. First attempts to failing endpoints are left out. */
const oldest = (rows: Statement): Statement => sql`
  SELECT TIMESTAMPDIFF(MICROSECOND, MIN(waiting.available_at), NOW(3)) FROM (${rows}) waiting
    LEFT JOIN webhook_health h
      ON h.webhook_id = waiting.lane AND (h.probe_at IS NOT NULL OR h.paused_until > NOW(3))
   WHERE h.webhook_id IS NULL`

/** The estimate of the optimizer, from statistics that MySQL and MariaDB keep by themselves. */
async function estimateRows(db: SystemDb): Promise<number> {
  const [plan] = await readRows<{ rows: number }>(db)`EXPLAIN FORMAT=TRADITIONAL SELECT id FROM outbox`
  return plan?.rows ?? 0
}
