import { provideDatabase } from '../stack/servers.ts'
import { runSupervised } from '../lib/supervisor.mjs'
import { makeDirectory } from '../stack/stack.ts'
import { fillRows, idOf } from './hostile/other-database.mjs'

/*
 * How long each step of the migrations takes on the rows of release 0.1.0: 3,000,000 events with a delivery and an attempt each
 * (`npm run bench:migrations -- 100000` for fewer). Meanwhile a writer changes a delivery again and again: its longest wait is
 * what the traffic notices of a step.
 */

const COUNT = Number(process.argv[2] ?? 3_000_000)
const FORMER_NEWEST = '005-sealing-keys'
const BUFFER_POOL_BYTES = 2 * 1024 ** 3
const PAUSE_MS = 10

const WEBHOOK = idOf('whk', 'rows_of.n % 100')
const CREATED = 'NOW(3) - INTERVAL rows_of.n SECOND'
const ROWS = `(SELECT numbers.n + 1000000 * thousand.n AS n FROM numbers JOIN thousand ON thousand.n < ${Math.ceil(COUNT / 1_000_000)}) AS rows_of WHERE rows_of.n < ${COUNT}`
const STATEMENTS = [
  `INSERT INTO events (company_id, environment, id, type, body, fingerprint, deliveries, remaining, created_at)
   SELECT 'com_bench', 'live', ${idOf('evt', 'rows_of.n')}, 'contact.created', REPEAT('a', 200), UNHEX(SHA2(rows_of.n, 256)),
     1, 1, ${CREATED} FROM ${ROWS}`,
  `INSERT INTO deliveries (id, company_id, environment, webhook_id, event_id, event_type, status, attempts, max_attempts,
     response_code, response_body, request_duration_ms, created_at, delivered_at, closed_at)
   SELECT ${idOf('del', 'rows_of.n')}, 'com_bench', 'live', ${WEBHOOK}, ${idOf('evt', 'rows_of.n')}, 'contact.created',
     'success', 1, 6, 200, 'ok', 20, ${CREATED}, ${CREATED}, ${CREATED} FROM ${ROWS}`,
  `INSERT INTO attempts (delivery_id, number, started_at, duration_ms, response_code, response_body, \`trigger\`)
   SELECT ${idOf('del', 'rows_of.n')}, 1, ${CREATED}, 20, 200, 'ok', 'schedule' FROM ${ROWS}`,
]

const seconds = (/** @type {number} */ ms) => (ms / 1000).toFixed(2)

await runSupervised(async (supervisor) => {
  const dir = await makeDirectory(supervisor, 'bench-migrations')
  const env = { ...process.env, DATABASE_URL: undefined }
  const url = await provideDatabase({ supervisor, dir, env, isDurable: true, name: 'mysql' })
  const { connect } = await import('../../src/db/connection/connection.ts')
  const { applyMissing, connectToMigrate } = await import('../../src/db/schema.ts')
  const { MIGRATION_NAMES, migrationSource } = await import('../../src/db/migrations/index.ts')
  const server = connect(url)
  await server.raw('CREATE DATABASE bench CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci')
  await server.raw('SET GLOBAL innodb_buffer_pool_size = ?', [BUFFER_POOL_BYTES])
  await server.destroy()
  const benchUrl = url.replace(/mysql$/, 'bench')
  const db = connectToMigrate(benchUrl)
  for (const name of MIGRATION_NAMES.filter((each) => each <= FORMER_NEWEST))
    await db.migrate.up({ migrationSource: migrationSource(), name })
  const filledMs = await timed(() => fillRows({ env: { DATABASE_URL: benchUrl } }, STATEMENTS))
  console.log(`${COUNT} deliveries filled in ${seconds(filledMs)} s\n`)

  const writer = startWriter(connect(benchUrl))
  console.log(`${'seconds'.padStart(9)}${'writer waited, ms'.padStart(19)}  step`)
  /** @type {string | undefined} */
  let step
  let startedMs = 0
  const tell = (/** @type {string} */ line) => {
    if (line.includes(': took ')) return
    const tookMs = performance.now() - startedMs
    const waitedMs = writer.takeLongestMs()
    if (step) console.log(`${seconds(tookMs).padStart(9)}${waitedMs.toFixed(0).padStart(19)}  ${step}`)
    step = line
    startedMs = performance.now()
  }
  const tookMs = await timed(() => applyMissing(db, { tell }))
  tell('')
  console.log(`\nAll steps took ${seconds(tookMs)} s`)
  await writer.stop()
  await db.destroy()
  return 0
})

/** @param {() => Promise<unknown>} work @returns {Promise<number>} milliseconds */
async function timed(work) {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

/** @param {import('knex').Knex} db */
function startWriter(db) {
  let longestMs = 0
  let isStopped = false
  const writing = (async () => {
    for (let n = 1; !isStopped; n++) {
      const tookMs = await timed(() =>
        db.raw(`UPDATE deliveries SET attempts = ? WHERE id = ${idOf('del', '7')}`, [n]),
      )
      longestMs = Math.max(longestMs, tookMs)
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
    await db.destroy()
  })()
  return {
    takeLongestMs() {
      const taken = longestMs
      longestMs = 0
      return taken
    },
    stop() {
      isStopped = true
      return writing
    },
  }
}
