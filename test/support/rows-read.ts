import { expect } from 'chai'
import { inTransaction, type Db, type SystemDb } from '../../src/db/connection/connection.ts'

/** Counts the rows that the storage engine has returned in this session. Ask twice within one transaction. */
export async function rowsRead(trx: Db): Promise<number> {
  const [status] = (await trx.raw("SHOW SESSION STATUS LIKE 'Handler_read%'")) as [{ Value: string }[]]
  return status.reduce((sum, { Value }) => sum + Number(Value), 0)
}

/** Counts the rows that the work reads in a transaction. */
export function countRowsRead(db: SystemDb, work: (trx: SystemDb) => Promise<unknown>): Promise<number> {
  return inTransaction(db, async (trx) => {
    const before = await rowsRead(trx)
    await work(trx)
    return (await rowsRead(trx)) - before
  })
}

type Statement = { readonly sql: string; readonly bindings: readonly unknown[] }

/** Returns the statements that the work sends outside of transactions, in order. */
export async function sentStatements(db: Db, work: () => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = []
  const note = ({ sql, bindings }: Statement) => void statements.push({ sql, bindings })
  db.on('query', note)
  await work().finally(() => db.removeListener('query', note))
  return statements
}

/** Returns the texts of these statements. */
export const statementsOf = async (db: Db, work: () => Promise<unknown>): Promise<string[]> =>
  (await sentStatements(db, work)).map(({ sql }) => sql)

/** Returns the error messages of failed statements of the work, including those of statements that were retried. */
export async function failedStatements(db: Db, work: () => Promise<unknown>): Promise<string[]> {
  const messages: string[] = []
  const note = ({ message }: Error) => void messages.push(message)
  db.on('query-error', note)
  await work().finally(() => db.removeListener('query-error', note))
  return messages
}

/** One step of a query plan; each table of the statement has one. */
type PlanStep = Readonly<Record<'table' | 'type', string> & Record<'key' | 'Extra', string | null>> & {
  readonly rows: number | string
}

/** Returns the server's plan for the statement. EXPLAIN refuses the statement's time limit, so it is removed. */
export async function explain(db: Db, sql: string, bindings: readonly unknown[]): Promise<PlanStep[]> {
  const explained = `EXPLAIN FORMAT=TRADITIONAL ${sql.trim().replace(/^\/\*M!.*?\*\/ /, '')}`
  const [plan] = (await db.raw(explained, bindings as string[])) as [PlanStep[]]
  return plan
}

/**
 * Expects that every search for places of a list uses the index that it names, without sorting, and finds all other
 * rows by keys.
 *
 * @returns the number of statements
 */
export async function expectAlongIndex(db: Db, work: () => Promise<unknown>): Promise<number> {
  const sent = (await sentStatements(db, work)).filter(({ sql }) => sql.includes('FORCE INDEX'))
  const searches = new Map(sent.map(({ sql, bindings }) => [sql, bindings]))
  for (const [sql, bindings] of searches)
    for (const { table, type, Extra } of await explain(db, sql, bindings)) {
      expect(Extra ?? '', sql).to.not.match(/join buffer|hash/i)
      if (/^[dwe]$/.test(table)) expect(type, sql).to.be.oneOf(['eq_ref', 'ref', 'range', 'const'])
      if (table === 'deliveries' || table === 'events')
        expect(type, sql).to.be.oneOf(['ref', 'range', 'const'])
    }
  return searches.size
}
