import type { Knex } from 'knex'
import type { SystemDb } from '../connection/connection.ts'
import type { OutboxFigures } from '../../domain/status.ts'

/** Rows are counted up to this many; beyond it the server's estimate is used. */
const COUNTED_ROWS = 10_000
/** The longest wait is taken from the rows that were queued first, this many, and from this many queues. */
const OLDEST_ROWS = 1_000
const QUEUES = 1_000

/** Measures the outbox. Reads at most 12,000 index entries, however many rows wait. */
export async function measureOutbox(db: SystemDb): Promise<OutboxFigures> {
  const some = db('outbox').select('id').limit(COUNTED_ROWS).as('some')
  const first = db('outbox').select('lane', 'available_at').orderBy('id').limit(OLDEST_ROWS)
  const queues = db('outbox')
    .groupBy('lane', 'company_id')
    .limit(QUEUES)
    .select('lane')
    .min({ available_at: 'available_at' })
  const row = await db
    .select(
      db.from(some).count('*').as('counted'),
      oldest(db, first).as('first'),
      oldest(db, queues).as('queue'),
    )
    .first<{ counted: number; first: number | null; queue: number | null }>()
  const { counted } = row
  return {
    pending: counted < COUNTED_ROWS ? counted : Math.max(counted, await estimateRows(db)),
    oldestSeconds: Math.max(0, row.first ?? 0, row.queue ?? 0) / 1e6,
  }
}

/** How many microseconds ago the first of the rows became due, leaving out first attempts to failing endpoints. */
const oldest = (db: SystemDb, rows: Knex.QueryBuilder) =>
  db
    .from(rows.as('waiting'))
    .joinRaw(
      `LEFT JOIN webhook_health h
         ON h.webhook_id = waiting.lane AND (h.probe_at IS NOT NULL OR h.paused_until > NOW(3))`,
    )
    .whereNull('h.webhook_id')
    .select(db.raw('TIMESTAMPDIFF(MICROSECOND, MIN(waiting.available_at), NOW(3))'))

/** The optimizer's estimate, from statistics that both servers keep by themselves. */
async function estimateRows(db: SystemDb): Promise<number> {
  const [plan] = (await db.raw('EXPLAIN FORMAT=TRADITIONAL SELECT id FROM outbox')) as [{ rows: number }[]]
  return plan[0]?.rows ?? 0
}
