import type { Db } from './connection/connection.js'

/** The time by the database's clock. It decides when a key expires, because the clocks of processes may differ. */
export async function databaseNow(db: Db): Promise<Date> {
  const row = await db.select(db.raw('NOW(3) AS now')).first<{ now: Date } | undefined>()
  if (!row) throw new Error('the database did not tell its time')
  return row.now
}

/** SQL for the time `durationMs` from now, by the database's clock. */
export const fromNow = (db: Db, durationMs: number) =>
  db.raw('NOW(3) + INTERVAL ? MICROSECOND', [Math.round(durationMs * 1000)])
