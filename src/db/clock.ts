import type { Db } from './connection/connection.ts'
import { rowsOf, run, type Statement, type StatementResult } from './connection/statements.ts'

/** The time by the database's clock. It decides when a key expires, because the clocks of processes may differ. */
export const databaseNow = async (db: Db): Promise<Date> => timeOf(await run(db, READ_CLOCK))

/** The statement of databaseNow; timeOf reads what it gives. */
export const READ_CLOCK: Statement = { sql: 'SELECT NOW(3) AS now', values: [] }

export function timeOf(result: StatementResult | undefined): Date {
  const [row] = rowsOf<{ now: Date }>(result)
  if (!row) throw new Error('the database did not tell its time')
  return row.now
}

/** SQL for the time `durationMs` from now, by the database's clock. */
export const fromNow = (db: Db, durationMs: number) => db.raw(FROM_NOW, [toMicroseconds(durationMs)])

/** The SQL of fromNow; its value is the duration by toMicroseconds. */
export const FROM_NOW = 'NOW(3) + INTERVAL ? MICROSECOND'

export const toMicroseconds = (durationMs: number): number => Math.round(durationMs * 1000)
