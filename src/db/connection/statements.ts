import type { Knex } from 'knex'
import type { Connection, ResultSetHeader } from 'mysql2'
import { isDuplicate, isLockTimeout, isRetryable } from './errors.ts'
import type { Db } from './connection.ts'
import { sendQuery } from './query-guard.ts'

/** A value for a `?`. Objects are excluded, because mysql2 would turn them into SQL. */
type SqlValue = string | number | null | Date | Buffer

/** SQL with one `?` for each value. Made by `sql`. */
export type Statement = { readonly sql: string; readonly values: readonly SqlValue[] }

/** What may stand in a `${…}` of `sql`. */
type Part = SqlValue | Statement | readonly (SqlValue | Statement)[]

/**
 * Writes a statement, or a part of one. Each `${…}` is one of three things: a value, which becomes a `?`; another
 * statement, which is inserted as it is; or a list of values and statements, which are joined with commas. An empty
 * list becomes NULL, which equals no value. Text that is not a value, such as the name of a column, needs `rawSql`.
 */
export function sql(texts: TemplateStringsArray, ...parts: readonly Part[]): Statement {
  const values: SqlValue[] = []
  const written = parts.map((part, index) => addTo(values, part) + (texts[index + 1] ?? ''))
  return { sql: `${texts[0] ?? ''}${written.join('')}`.trimStart(), values }
}

/** Adds the values of a part to the values before it. @returns the SQL of the part */
function addTo(values: SqlValue[], part: Part): string {
  if (part === null || typeof part !== 'object' || part instanceof Date || Buffer.isBuffer(part)) {
    values.push(part)
    return '?'
  }
  if ('sql' in part) {
    for (const value of part.values) values.push(value)
    return part.sql
  }
  return part.length === 0 ? 'NULL' : part.map((one) => addTo(values, one)).join(', ')
}

/** SQL without values. Never pass text that comes from a caller of the service. */
export const rawSql = (written: string): Statement => ({ sql: written, values: [] })

/** An empty part of a statement. */
export const NOTHING = rawSql('')

/** Joins statements. @param by the text between two of them */
export const joined = (statements: readonly Statement[], by: string): Statement => ({
  sql: statements.map((statement) => statement.sql).join(by),
  values: statements.flatMap(({ values }) => values),
})

/** The server's result of a statement: the rows of a SELECT, or the counts of a write. */
export type StatementResult = unknown[] | ResultSetHeader

declare const HANDLE: unique symbol

type RunStatements = (statements: readonly Statement[]) => Promise<StatementResult[]>

/**
 * Runs statements one after the other in a transaction. Returns their results in the same order. The Run of a Db is not a
 * `Run<SystemDb>`.
 */
export type Run<Handle extends Db> = RunStatements & { readonly [HANDLE]: Handle }

/** The rows in the result of a SELECT. */
export const rowsOf = <Row>(result: StatementResult | undefined): Row[] => (result ?? []) as Row[]

/** How many rows a write matched. */
export const foundBy = (result: StatementResult | undefined): number =>
  (result as ResultSetHeader | undefined)?.affectedRows ?? 0

/** A row to write: values by the names of their columns. */
type NewRow = Readonly<Record<string, SqlValue | Statement>>

/**
 * A table of keys with one column, `value`. Join it before the table that you search: `FROM ${keyTable(ids)} wanted
 * STRAIGHT_JOIN deliveries d FORCE INDEX (PRIMARY) ON d.id = wanted.value`. The server then finds each row by its key. With
 * `id IN (…)` it may read the whole table if it believes that the table is small, even with FORCE INDEX. A DELETE, an
 * UPDATE of a join, or a locking SELECT would then wait for every row that another transaction locks. The lowest key comes
 * first. So of two transactions that lock the same rows, one waits for the other, and they do not deadlock.
 *
 * @param keys texts in ASCII, at least one
 */
export const keyTable = (keys: readonly string[]): Statement => ({
  // The value gets the type of id columns, so that the join can use the index.
  sql: `(SELECT CAST(? AS CHAR CHARACTER SET ascii) COLLATE ascii_bin AS value${' UNION ALL SELECT ?'.repeat(keys.length - 1)})`,
  values: keys.toSorted(),
})

/**
 * Builds an INSERT of rows, at least one. All rows have the same columns.
 *
 * @param ending what follows the rows, such as ON DUPLICATE KEY UPDATE
 */
export function insertRows(table: string, rows: readonly NewRow[], ending = NOTHING): Statement {
  const columns = Object.keys(rows[0] ?? {})
  const values: SqlValue[] = []
  const written = rows.map(
    (row) => `(${columns.map((column) => addTo(values, row[column] ?? null)).join(', ')})`,
  )
  return {
    sql: `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${written.join(', ')} ${ending.sql}`,
    values: [...values, ...ending.values],
  }
}

/**
 * Builds an INSERT of whole rows, at least one. If a row with the same key exists, its values are replaced.
 *
 * @param changing the columns that are replaced; by default all
 */
export function upsertRows(
  table: string,
  rows: readonly NewRow[],
  changing = Object.keys(rows[0] ?? {}),
): Statement {
  const changes = changing.map((column) => `${column} = VALUES(${column})`)
  return insertRows(table, rows, rawSql(`ON DUPLICATE KEY UPDATE ${changes.join(', ')}`))
}

/** An ending for an INSERT: if a row exists, the new values of these columns are added to its values. */
export const addingUp = (columns: readonly string[]): Statement =>
  rawSql(
    `ON DUPLICATE KEY UPDATE ${columns.map((column) => `${column} = ${column} + VALUES(${column})`).join(', ')}`,
  )

/** Runs one statement. If `db` is a transaction, the statement is part of it. */
export async function run(db: Db, statement: Statement): Promise<StatementResult> {
  const [result] = (await db.raw(statement.sql, [...statement.values])) as [StatementResult]
  return result
}

/** Runs a statement that is written as for `sql`. @returns how many rows it matched */
export const execute =
  (db: Db) =>
  async (...written: Parameters<typeof sql>): Promise<number> =>
    foundBy(await run(db, sql(...written)))

/** Runs a SELECT that is written as for `sql`. @returns its rows */
export const readRows =
  <Row>(db: Db) =>
  async (...written: Parameters<typeof sql>): Promise<Row[]> =>
    rowsOf<Row>(await run(db, sql(...written)))

/**
 * Runs statements in one round trip, on a connection that takes several statements per query (`severalStatements` of
 * `connect`).
 */
export async function runTogether(db: Db, statements: readonly Statement[]): Promise<void> {
  await run(db, joined(statements, ';\n'))
}

/** How many rows a query of knex matches. */
export async function countRows(query: Knex.QueryBuilder): Promise<number> {
  const [row] = (await query.count({ total: '*' })) as { total: number }[]
  return row?.total ?? 0
}

/** Runs statements in a transaction of knex. Each statement takes a round trip. */
export function runIn<Handle extends Db>(trx: Handle): Run<Handle> {
  const runAll: RunStatements = async (statements) => {
    const results: StatementResult[] = []
    for (const statement of statements) results.push(await run(trx, statement))
    return results
  }
  return runAll as Run<Handle>
}

/**
 * A transaction whose statements go to the server several at a time. Each call is one round trip. The first call begins the
 * transaction, and `commit` ends it. inBatchTransaction makes it.
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

  /** Rolls back what was not committed. When a statement fails, the server stops and leaves the transaction open. */
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
    const together = joined(statements, ';\n')
    const result = await sendQuery(this.#connection, together.sql, [...together.values])
    return (statements.length === 1 ? [result] : result) as StatementResult[]
  }
}

const BEGIN = rawSql('START TRANSACTION')
const COMMIT = rawSql('COMMIT')
const ROLLBACK = rawSql('ROLLBACK')

/** The part of knex's client that gives out the connections of its pool. */
type Pool = {
  acquireConnection(): Promise<Connection>
  releaseConnection(connection: Connection): Promise<void>
}

/**
 * Runs the work in a transaction, on a connection that takes several statements per query (`severalStatements` of
 * `connect`). What the work did not commit is rolled back. After a deadlock or a snapshot conflict the work runs again.
 * It also runs again if another transaction inserted the same row first, because the work then finds that row. After a
 * lock time-out it does not run again, because many callers wait for a batch.
 *
 * @param tries how often the work runs at most
 * @throws what the work throws. After a lost connection nobody knows whether the commit took place
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
        const mayRunAgain = !isLockTimeout(error) && (isRetryable(error) || isDuplicate(error))
        if (left === 0 || !mayRunAgain) throw error
      } finally {
        await trx.end()
      }
    }
  } finally {
    await pool.releaseConnection(connection)
  }
}
