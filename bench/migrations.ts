import { setTimeout as sleep } from 'node:timers/promises'
import { runSupervised } from '../scripts/lib/supervisor.ts'
import { provideDatabase } from '../scripts/stack/servers.ts'
import { makeDirectory } from '../scripts/stack/stack.ts'
import { connect, type SystemDb } from '../src/db/connection/connection.ts'
import { MIGRATION_NAMES, migrationSource } from '../src/db/migrations/index.ts'
import { applyMissing, connectToMigrate } from '../src/db/schema.ts'
import { timed } from './support/figures.ts'
import { deliveriesOf, fillRows, idOf, useLargeBufferPool } from './support/fill.ts'

/*
 * How long each step of the migrations takes on the rows of release 0.1.0: 3,000,000 events with a delivery and an attempt each
 * (`npm run bench:migrations -- 100000` for fewer). Meanwhile a writer changes a delivery again and again: its longest wait is
 * what the traffic notices of a step.
 */

const COUNT = Number(process.argv[2] ?? 3_000_000)
const FORMER_NEWEST = '005-sealing-keys'

const seconds = (ms: number): string => (ms / 1000).toFixed(2)

await runSupervised(async (supervisor) => {
  const dir = await makeDirectory(supervisor, 'bench-migrations')
  const env = { ...process.env, DATABASE_URL: undefined }
  const serverUrl = await provideDatabase({ supervisor, dir, env, isDurable: true, name: 'mysql' })
  const server = connect(serverUrl)
  await server.raw('CREATE DATABASE bench CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci')
  await useLargeBufferPool(server, 2)
  const url = serverUrl.replace(/mysql$/, 'bench')
  const db = connectToMigrate(url)
  for (const name of MIGRATION_NAMES.filter((each) => each <= FORMER_NEWEST))
    await db.migrate.up({ migrationSource: migrationSource(), name })
  const created_at = 'NOW(3) - INTERVAL n SECOND'
  const delivery = {
    company_id: "'com_bench'",
    webhook_id: idOf('whk', 'n % 100'),
    created_at,
    status: "'success'",
    response_code: '200',
    delivered_at: created_at,
    closed_at: created_at,
  }
  const statements = deliveriesOf(COUNT, delivery, { body: "REPEAT('a', 200)" })
  const filledMs = await timed(() => fillRows(url, statements))
  console.log(`${COUNT} deliveries filled in ${seconds(filledMs)} s\n`)

  let longestMs = 0
  const writing = write(connect(url), (tookMs) => (longestMs = Math.max(longestMs, tookMs)))
  writing.catch(() => undefined)
  console.log(`${'seconds'.padStart(9)}${'writer waited, ms'.padStart(19)}  step`)
  let step = ''
  let startedMs = 0
  const tell = (line: string) => {
    if (line.includes(': took ')) return
    const tookMs = performance.now() - startedMs
    if (step) console.log(`${seconds(tookMs).padStart(9)}${longestMs.toFixed(0).padStart(19)}  ${step}`)
    step = line
    longestMs = 0
    startedMs = performance.now()
  }
  const tookMs = await timed(() => applyMissing(db, { tell }))
  tell('')
  console.log(`\nAll steps took ${seconds(tookMs)} s`)
  return 0
})

/** Changes a delivery again and again until its server ends, and tells how long each change took. */
async function write(db: SystemDb, tellMs: (tookMs: number) => void): Promise<void> {
  for (let n = 1; ; n++) {
    const change = db.raw(`UPDATE deliveries SET attempts = ? WHERE id = ${idOf('del', '7')}`, [n])
    tellMs(await timed(() => Promise.resolve(change)))
    await sleep(10)
  }
}
