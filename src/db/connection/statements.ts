import type { Knex } from 'knex'
import type { Connection, ResultSetHeader } from 'mysql2'
import { isRetryable } from './errors.ts'
import type { Db } from './connection.ts'
import { sendQuery } from './query-guard.ts'

/** A value for a `?`. No objects: mysql2 would turn them into SQL of its own. */
export type SqlValue = string | number | null | Date | Buffer

/** SQL that is written by hand, with one `?` for each value. */
export type Statement = { readonly sql: string; readonly values: readonly SqlValue[] }

/** What the server answered to a statement: rows of a SELECT, or what a write did. */
export type StatementResult = unknown[] | ResultSetHeader

declare const HANDLE: unique symbol

type RunStatements = (statements: readonly Statement[]) => Promise<StatementResult[]>

/**
 * Runs statements one after the other in a transaction and gives their results in the same order. The Run of a Db is not
 * a `Run<SystemDb>`.
 */
export type Run<Handle extends Db> = RunStatements & { readonly [HANDLE]: Handle }

/** The rows that a SELECT gave. */
export const rowsOf = <Row>(result: StatementResult | undefined): Row[] => (result ?? []) as Row[]

/** How many rows a write found. */
export const foundBy = (result: StatementResult | undefined): number =>
  (result as ResultSetHeader | undefined)?.affectedRows ?? 0

/** `?, ?, ?` for a list of `count` values. For an empty list it is NULL, which equals no value. */
export const placeholders = (count: number): string =>
  count === 0 ? 'NULL' : Array<string>(count).fill('?').join(', ')

/**
 * A table of keys with one column, `value`. Join it in front of the table that has them: `FROM ${keyTable(ids).sql} wanted
 * STRAIGHT_JOIN deliveries d FORCE INDEX (PRIMARY) ON d.id = wanted.value`. The server then finds each row by its key. With
 * `id IN (…)` it may read the whole table where it believes that this is small, even with FORCE INDEX. A DELETE, a join that
 * writes and a locking SELECT then wait for every row that another transaction locks. The lowest key comes first, so that
 * two that lock the same rows wait for each other and do not deadlock.
 *
 * @param keys texts in ASCII, at least one
 */
export const keyTable = (keys: readonly string[]): Statement => ({
  // Typed as columns of ids are, so that it can be compared along an index.
  sql: `(SELECT CAST(? AS CHAR CHARACTER SET ascii) COLLATE ascii_bin AS value${' UNION ALL SELECT ?'.repeat(keys.length - 1)})`,
  values: keys.toSorted(),
})

/**
 * Builds an INSERT of many rows.
 *
 * @param into table and columns, such as `events (id, type)`
 * @param row how one row is written, such as `(?, NOW(3))`
 * @param rows the values of each row, in the order of its `?`; at least one row
 * @param ending what follows the rows, such as ON DUPLICATE KEY UPDATE
 */
export const insertStatement = (
  into: string,
  row: string,
  rows: readonly (readonly SqlValue[])[],
  ending = '',
): Statement => ({
  sql: `INSERT INTO ${into} VALUES ${Array<string>(rows.length).fill(row).join(', ')} ${ending}`,
  values: rows.flat(),
})

/**
 * Builds an INSERT of whole rows, at least one, that replaces values of those that are there.
 *
 * @param changing the columns that it replaces; by default all
 */
export function upsertStatement(
  table: string,
  rows: readonly Readonly<Record<string, SqlValue>>[],
  changing?: readonly string[],
): Statement {
  const columns = Object.keys(rows[0] ?? {})
  return insertStatement(
    `${table} (${columns.join(', ')})`,
    `(${placeholders(columns.length)})`,
    rows.map((row) => columns.map((column) => row[column] ?? null)),
    `ON DUPLICATE KEY UPDATE ${(changing ?? columns).map((column) => `${column} = VALUES(${column})`).join(', ')}`,
  )
}

/** Runs one statement, in a transaction when `db` is one. */
export async function run(db: Db, { sql, values }: Statement): Promise<StatementResult> {
  const [result] = (await db.raw(sql, [...values])) as [StatementResult]
  return result
}

/** Runs statements in one round trip, on a connection that takes several per query (`severalStatements` of `connect`). */
export async function runTogether(db: Db, statements: readonly Statement[]): Promise<void> {
  await run(db, joined(statements))
}

const joined = (statements: readonly Statement[]): Statement => ({
  sql: statements.map(({ sql }) => sql).join(';\n'),
  values: statements.flatMap(({ values }) => values),
})

/** How many rows a query of knex finds. */
export async function countRows(query: Knex.QueryBuilder): Promise<number> {
  const [row] = (await query.count({ total: '*' })) as { total: number }[]
  return row?.total ?? 0
}

/** Runs one SELECT and gives its rows. */
export const readRows = async <Row>(db: Db, statement: Statement): Promise<Row[]> =>
  rowsOf<Row>(await run(db, statement))

/** Runs statements in a transaction of knex; each of them takes a round trip. */
export function runIn<Handle extends Db>(trx: Handle): Run<Handle> {
  const runAll: RunStatements = async (statements) => {
    const results: StatementResult[] = []
    for (const statement of statements) results.push(await run(trx, statement))
    return results
  }
  return runAll as Run<Handle>
}

/**
 * A transaction whose statements go to the server several at a time: each call is one round trip. The first call begins
 * the transaction, `commit` ends it. Make it with inBatchTransaction.
 */
class BatchTransaction<Handle extends Db> {
  readonly #connection: Connection
  #state: 'new' | 'open' | 'committed' = 'new'

  constructor(connection: Connection) {
    this.#connection = connection
  }

  readonly run = ((statements) => this.#run(statements)) as Run<Handle>

  /** Runs the statements and commits. */
  readonly commit = (async (statements) => {
    const results = await this.#run([...statements, COMMIT])
    this.#state = 'committed'
    return results.slice(0, -1)
  }) as Run<Handle>

  /** Takes back what was not committed. The server stops at a statement that fails, and leaves the transaction open. */
  async end(): Promise<void> {
    if (this.#state === 'open') await this.#send([ROLLBACK]).catch(() => this.#connection.destroy())
  }

  async #run(statements: readonly Statement[]): Promise<StatementResult[]> {
    const isNew = this.#state === 'new'
    this.#state = 'open'
    const results = await this.#send(isNew ? [BEGIN, ...statements] : statements)
    return isNew ? results.slice(1) : results
  }

  async #send(statements: readonly Statement[]): Promise<StatementResult[]> {
    const { sql, values } = joined(statements)
    const result = await sendQuery(this.#connection, sql, [...values])
    return (statements.length === 1 ? [result] : result) as StatementResult[]
  }
}

const BEGIN: Statement = { sql: 'START TRANSACTION', values: [] }
const COMMIT: Statement = { sql: 'COMMIT', values: [] }
const ROLLBACK: Statement = { sql: 'ROLLBACK', values: [] }

/** The part of knex's client that gives out connections of its pool. */
type Pool = {
  acquireConnection(): Promise<Connection>
  releaseConnection(connection: Connection): Promise<void>
}

/**
 * Runs the work in a transaction on a connection that takes several statements per query (`severalStatements` of
 * `connect`). What the work did not commit is taken back. On a deadlock or lock time-out it starts over.
 *
 * @param tries how often the work is run at most
 * @throws what the work throws. After a lost connection nobody knows whether the commit took place.
 */
export async function inBatchTransaction<T, Handle extends Db>(
  batchDb: Handle,
  work: (trx: BatchTransaction<Handle>) => Promise<T>,
  { tries = 5 }: { readonly tries?: number } = {},
): Promise<T> {
  const pool = batchDb.client as Pool
  const connection = await pool.acquireConnection()
  try {
    for (let left = tries - 1; ; left--) {
      const trx = new BatchTransaction<Handle>(connection)
      try {
        return await work(trx)
      } catch (error) {
        if (left === 0 || !isRetryable(error)) throw error
      } finally {
        await trx.end()
      }
    }
  } finally {
    await pool.releaseConnection(connection)
  }
}
