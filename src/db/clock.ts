import type { Db } from './connection/connection.ts'
import { rawSql, rowsOf, run, sql, type Statement, type StatementResult } from './connection/statements.ts'

/** The time of the database's clock. It decides when a key expires, because the clocks of processes may differ. */
export const databaseNow = async (db: Db): Promise<Date> => timeOf(await run(db, READ_CLOCK))

/** The statement of databaseNow. timeOf reads its result. */
export const READ_CLOCK: Statement = sql`SELECT NOW(3) AS now`

export function timeOf(result: StatementResult | undefined): Date {
  const [row] = rowsOf<{ now: Date }>(result)
  if (!row) throw new Error('the database did not tell its time')
  return row.now
}

/** SQL for the time at which the statement runs. */
export const NOW = rawSql('NOW(3)')

/** SQL for the time `durationMs` after NOW. A negative duration gives an earlier time. */
export const afterNow = (durationMs: number): Statement =>
  sql`NOW(3) + INTERVAL ${toMicroseconds(durationMs)} MICROSECOND`

/** Like afterNow, for a query of knex. */
export const fromNow = (db: Db, durationMs: number) =>
  db.raw('NOW(3) + INTERVAL ? MICROSECOND', [toMicroseconds(durationMs)])

export const toMicroseconds = (durationMs: number): number => Math.round(durationMs * 1000)
