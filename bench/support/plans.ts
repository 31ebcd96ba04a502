import type { Db, SystemDb } from '../../src/db/connection/connection.ts'

/** Tables that grow with every event, and their aliases. No statement may read one of them whole. */
const HOT = new Set(['deliveries', 'd', 'events', 'e', 'attempts', 'notices', 'n'])

const GROWS = /\b(deliveries|events|attempts|notices)\b/

/** The prefix that limits the time of a statement; EXPLAIN does not take it. */
const TIME_LIMIT = /^\/\*M!.*?\*\/ /
const EXPLAINED = /^(select|update|delete)/i

type Statement = { readonly sql: string; readonly bindings: readonly unknown[] }
type PlanRow = {
  table: string | null
  type: string | null
  key: string | null
  rows: number
  Extra: string | null
}

/** The statements that the work sends outside of transactions, in their order. */
export async function sentStatements(db: Db, work: () => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = []
  const note = ({ sql, bindings }: Statement) => void statements.push({ sql, bindings })
  db.on('query', note)
  await work().finally(() => db.removeListener('query', note))
  return statements
}

/** Collects the reads, updates and deletes that the work sends, each distinct one once. */
export async function statementsOf(db: Db, work: () => Promise<unknown>): Promise<Statement[]> {
  const seen = new Map<string, Statement>()
  for (const { sql: sent, bindings } of await sentStatements(db, work)) {
    const sql = sent.trim().replace(TIME_LIMIT, '')
    if (EXPLAINED.test(sql) && !seen.has(sql)) seen.set(sql, { sql, bindings })
  }
  return [...seen.values()]
}

/** The same of whatever other processes send meanwhile to these tables, from the server's general log. */
export async function loggedStatements(db: SystemDb, work: () => Promise<unknown>): Promise<Statement[]> {
  await db.raw('TRUNCATE TABLE mysql.general_log')
  await db.raw("SET GLOBAL log_output = 'TABLE', general_log = 1")
  await work()
  await db.raw('SET GLOBAL general_log = 0')
  const [rows] = (await db.raw(
    "SELECT DISTINCT CONVERT(argument USING utf8mb4) AS argument FROM mysql.general_log WHERE command_type = 'Query'",
  )) as [{ argument: string }[]]
  return rows
    .map(({ argument }) => argument.trim().replace(TIME_LIMIT, ''))
    .filter((sql) => EXPLAINED.test(sql) && GROWS.test(sql))
    .map((sql) => ({ sql, bindings: [] }))
}

/**
 * Prints how the database would run each statement.
 *
 * @param byIndexAlone a table (or its alias) whose rows must not be needed, only its index
 * @throws Error when one counts rows, or reads the whole of a table that grows, or of one of its indexes
 */
export async function checkPlans(
  db: Db,
  what: string,
  statements: readonly Statement[],
  byIndexAlone?: string,
): Promise<void> {
  console.log(`\nThe statements of ${what}`)
  for (const { sql, bindings } of statements) {
    const explained = db.raw(`EXPLAIN FORMAT=TRADITIONAL ${sql}`, [...bindings] as string[])
    const [rows] = (await explained) as [PlanRow[]]
    printOnce([`  ${shorten(sql)}`, ...rows.map((row) => `    ${describe(row)}`)].join('\n'))
    const bad = rows.find(({ table, type }) => HOT.has(table ?? '') && (type === 'ALL' || type === 'index'))
    if (bad) throw new Error(`reads all of ${bad.table}: ${sql}`)
    if (rows.some(({ table, Extra }) => table === byIndexAlone && !Extra?.includes('Using index')))
      throw new Error(`reads the rows that it skips: ${sql}`)
    if (/count\(/i.test(sql)) throw new Error(`counts rows: ${sql}`)
  }
}

/** Texts that were printed already. A plan that comes again is still checked, but not printed. */
const printed = new Set<string>()
function printOnce(text: string): void {
  if (!printed.has(text)) console.log(text)
  printed.add(text)
}

/** The statement without the columns that it reads, and without values. */
const shorten = (sql: string): string =>
  sql
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/'[^']*'/g, '?')
    .replace(/^select .*? from/, 'select … from')
    .replaceAll(/\((\?, )+\?\)/g, '(…)')
    .replaceAll(/(\(…\), )+/g, '')

const describe = ({ table, type, key, rows, Extra }: PlanRow): string =>
  `${table ?? '-'}: ${type ?? '-'} by ${key ?? 'no key'}, ~${rows} rows${Extra ? ` (${Extra})` : ''}`
