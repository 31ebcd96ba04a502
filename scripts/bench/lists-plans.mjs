/** Tables that grow with every event. No statement may read one of them whole. */
const HOT = new Set(['deliveries', 'd', 'events', 'e', 'attempts', 'notices', 'n'])

/** The prefix that limits the time of a statement; EXPLAIN does not take it. */
const TIME_LIMIT = /^\/\*M!.*?\*\/ /

/** @typedef {{ sql: string, bindings: readonly unknown[] }} Statement */
/** @typedef {{ table: string, type: string, key: string | null, rows: number, Extra: string | null }} PlanRow */

/**
 * Collects the statements that the work sends, as they are.
 *
 * @param {import('knex').Knex} db
 * @param {() => Promise<unknown>} work
 * @returns {Promise<Statement[]>} each distinct one once; reads, updates and deletes alone
 */
export async function statementsOf(db, work) {
  /** @type {Map<string, Statement>} */
  const seen = new Map()
  const collect = (/** @type {Statement} */ { sql: sent, bindings }) => {
    const sql = sent.replace(TIME_LIMIT, '')
    const isExplained = /^(select|update|delete)/i.test(sql)
    if (isExplained && !seen.has(sql)) seen.set(sql, { sql, bindings })
  }
  db.on('query', collect)
  await work()
  db.removeListener('query', collect)
  return [...seen.values()]
}

/**
 * Prints how the database would run each statement.
 *
 * @param {import('knex').Knex} db
 * @param {string} what
 * @param {readonly Statement[]} statements
 * @param {{ byIndexAlone?: string }} [options] a table (or its alias) whose rows must not be needed, only its index
 * @returns {Promise<void>}
 * @throws {Error} when one counts rows, or reads the whole of a hot table or of one of its indexes
 */
export async function checkPlans(db, what, statements, { byIndexAlone } = {}) {
  console.log(`\n${what}`)
  for (const { sql, bindings } of statements) {
    const [rows] = /** @type {[PlanRow[]]} */ (
      await db.raw(`EXPLAIN FORMAT=TRADITIONAL ${sql}`, [...bindings])
    )
    printOnce([`  ${shorten(sql)}`, ...rows.map((row) => `    ${describe(row)}`)].join('\n'))
    const bad = rows.find(({ table, type }) => HOT.has(table) && (type === 'ALL' || type === 'index'))
    if (bad) throw new Error(`reads all of ${bad.table}: ${sql}`)
    if (rows.some(({ table, Extra }) => table === byIndexAlone && !Extra?.includes('Using index')))
      throw new Error(`reads the rows that it skips: ${sql}`)
    if (/count\(/i.test(sql)) throw new Error(`counts rows: ${sql}`)
  }
}

/** Texts that were printed already. A plan that comes again is still checked, but not printed. */
const printed = new Set()
const printOnce = (/** @type {string} */ text) => {
  if (!printed.has(text)) console.log(text)
  printed.add(text)
}

/** The statement without the columns that it reads and the values of its lists. */
const shorten = (/** @type {string} */ sql) =>
  sql
    .replaceAll(/\s+/g, ' ')
    .replace(/^select .*? from/, 'select … from')
    .replace(/\((\?, )+\?\)/g, '(…)')
    .replace(/(\(…\), )+/g, '')

/** @param {PlanRow} row */
const describe = ({ table, type, key, rows, Extra }) =>
  `${table ?? '-'}: ${type ?? '-'} by ${key ?? 'no key'}, ~${rows ?? 0} rows${Extra ? ` (${Extra})` : ''}`
