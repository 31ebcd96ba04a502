import type { Db } from '../connection/connection.js'

/** Rows are counted up to this many; beyond it the server's estimate is used. */
const COUNTED_ROWS = 10_000
/** The longest wait is taken from this many rows, those that were queued first. */
const OLDEST_ROWS = 1_000

export type OutboxFigures = {
  /** Rows of the outbox: exact up to 10,000, beyond that as the server estimates it. */
  readonly pending: number
  /** For how many seconds the row that waits longest has been due. */
  readonly oldestSeconds: number
}

/** Measures the outbox. Reads at most 11,000 index entries, however many rows wait. */
export async function measureOutbox(db: Db): Promise<OutboxFigures> {
  const some = db('outbox').select('id').limit(COUNTED_ROWS).as('some')
  const first = db('outbox').select('available_at').orderBy('id').limit(OLDEST_ROWS).as('first')
  const row = await db
    .select(
      db.from(some).count('*').as('counted'),
      db.from(first).select(db.raw('TIMESTAMPDIFF(MICROSECOND, MIN(available_at), NOW(3))')).as('age'),
    )
    .first<{ counted: number; age: number | null }>()
  const { counted } = row
  return {
    pending: counted < COUNTED_ROWS ? counted : Math.max(counted, await estimateRows(db)),
    oldestSeconds: Math.max(0, (row.age ?? 0) / 1e6),
  }
}

/** The optimizer's estimate, from statistics that both servers keep by themselves. */
async function estimateRows(db: Db): Promise<number> {
  const [plan] = (await db.raw('EXPLAIN FORMAT=TRADITIONAL SELECT id FROM outbox')) as [{ rows: number }[]]
  return plan[0]?.rows ?? 0
}
