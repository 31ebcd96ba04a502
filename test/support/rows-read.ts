import { expect } from 'chai'
import { statementsOf as plannedStatements, sentStatements } from '../../bench/support/plans.ts'
import { inTransaction, type Db, type SystemDb } from '../../src/db/connection/connection.ts'

/** Rows that the storage engine has handed up in this session: a count and no time. Ask within one transaction. */
export async function rowsRead(trx: Db): Promise<number> {
  const [status] = (await trx.raw("SHOW SESSION STATUS LIKE 'Handler_read%'")) as [{ Value: string }[]]
  return status.reduce((sum, { Value }) => sum + Number(Value), 0)
}

/** Runs the work in a transaction and counts the rows that it reads. */
export function countRowsRead(db: SystemDb, work: (trx: SystemDb) => Promise<unknown>): Promise<number> {
  return inTransaction(db, async (trx) => {
    const before = await rowsRead(trx)
    await work(trx)
    return (await rowsRead(trx)) - before
  })
}

/** The texts of the statements that the work sends outside of transactions, in their order. */
export const statementsOf = async (db: Db, work: () => Promise<unknown>): Promise<string[]> =>
  (await sentStatements(db, work)).map(({ sql }) => sql)

/** A step of a statement, for each table that it reads. */
type PlanStep = {
  readonly table: string
  readonly type: string
  readonly key: string | null
  readonly rows: number | string
  readonly Extra: string | null
}

/** How the server would carry the statement out. */
export async function explain(db: Db, sql: string, bindings: readonly unknown[]): Promise<PlanStep[]> {
  const [plan] = (await db.raw(`EXPLAIN FORMAT=TRADITIONAL ${sql}`, bindings as string[])) as [PlanStep[]]
  return plan
}

/**
 * Expects that every search of the work for places of a list goes along the index that it names, without sorting, and finds the
 * rest by keys.
 *
 * @returns how many statements it was
 */
export async function expectAlongIndex(db: Db, work: () => Promise<unknown>): Promise<number> {
  const statements = await plannedStatements(db, work)
  const searches = statements.filter(({ sql }) => sql.includes('FORCE INDEX'))
  for (const { sql, bindings } of searches)
    for (const { table, type, Extra } of await explain(db, sql, bindings)) {
      expect(Extra ?? '', sql).to.not.match(/join buffer|hash/i)
      if (/^[dwe]$/.test(table)) expect(type, sql).to.be.oneOf(['eq_ref', 'ref', 'range', 'const'])
      if (table === 'deliveries' || table === 'events')
        expect(type, sql).to.be.oneOf(['ref', 'range', 'const'])
    }
  return searches.length
}
