import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from '../build.mjs'
import { apiClient } from '../demo/http.mjs'
import { freePorts } from '../lib/ports.mjs'
import { tcpAnswers, waitUntil } from '../lib/ready.mjs'
import { runSupervised } from '../lib/supervisor.mjs'
import { createKey, prepareDatabase } from '../stack/database.mjs'
import { percentile } from './figures.mjs'
import { fillDeliveries } from './lists-fill.mjs'
import { checkPlans, statementsOf } from './lists-plans.mjs'

/*
 * Lists over 1,000,000 deliveries (`npm run bench:lists -- 100000` for fewer): the first and the 100th page of
 * GET /api-v1-webhooks/:id/deliveries, before the purge of old history and while it runs; how long its batches take;
 * and the plan of every statement, none of which may read all of a table that grows with every event.
 */

const COUNT = Number(process.argv[2] ?? 1_000_000)
const WEBHOOKS = 5
const REQUESTS = 200
const PURGE_BATCHES = 40
const PURGE_BATCH = 500
const RETENTION_DAYS = 30
/** The memory that a production server would have for this much data. */
const BUFFER_POOL_BYTES = 1024 ** 3

const CASES = ['', 'status=success', 'status=failed'].flatMap((filter) =>
  [1, 100].map((page) => ({ filter, page, name: `page ${page}${filter && `, ${filter}`}` })),
)

await runSupervised(async (supervisor) => {
  await build()
  const dir = await mkdtemp(path.join(tmpdir(), 'bench-lists-'))
  supervisor.onCleanup(() => rm(dir, { recursive: true, force: true }))
  const [databasePort, port] = await freePorts([0, 0])
  const env = await prepareDatabase(supervisor, dir, databasePort)
  const { companyId, key } = await createKey(env, 'read:webhooks,write:webhooks')
  supervisor.start({
    name: 'api',
    command: process.execPath,
    args: ['dist/server.js'],
    env: { ...env, PORT: String(port) },
    logFile: path.join(dir, 'api.log'),
  })
  await waitUntil('The api', () => tcpAnswers('127.0.0.1', port))
  const webhookIds = await createWebhooks(`http://127.0.0.1:${port}`, key)
  const { connect } = await import('../../dist/db/connection/connection.js')
  const db = connect(env.DATABASE_URL)
  await db.raw('SET GLOBAL innodb_buffer_pool_size = ?', [BUFFER_POOL_BYTES])
  await fillDeliveries(db, { companyId, webhookIds, count: COUNT })

  const tenant = { companyId, environment: 'live' }
  await showPlans(db, tenant, webhookIds[0])
  const list = listOf(`http://127.0.0.1:${port}/api-v1-webhooks/${webhookIds[0]}/deliveries`, key)
  report('Lists', await measure(list, () => true))
  await timePurge(db)
  await listDuringPurge(db, list)
  await db.destroy()
  return 0
})

/** @param {string} url @param {string} key @returns {Promise<string[]>} ids */
async function createWebhooks(url, key) {
  const api = apiClient(url, key)
  const ids = []
  for (let n = 0; n < WEBHOOKS; n++) {
    const body = { name: `webhook ${n}`, url: 'https://example.com/', events: ['contact.created'] }
    ids.push((await api('POST', '/api-v1-webhooks', body)).data.id)
  }
  return ids
}

/** @param {import('knex').Knex} db @param {object} tenant @param {string} webhookId */
async function showPlans(db, tenant, webhookId) {
  const { listDeliveries } = await import('../../dist/db/delivery/deliveries.js')
  const { wakeForgottenDeliveries } = await import('../../dist/db/system/forgotten-deliveries.js')
  for (const { filter, page, name } of CASES) {
    const status = filter.split('=')[1]
    const work = () => listDeliveries(db, tenant, webhookId, { limit: 50, page, status })
    const statements = await statementsOf(db, work)
    await checkPlans(db, `The statements of ${name}`, statements, { byIndexAlone: 'deliveries' })
  }
  const page = { afterMs: 365 * 86_400_000, from: undefined, limit: 1_000 }
  const wake = await statementsOf(db, () => wakeForgottenDeliveries(db, 'overdue', page))
  await checkPlans(db, 'The statements of the reconciler', wake)
}

/** @param {string} url @param {string} key */
function listOf(url, key) {
  const headers = { authorization: `Bearer ${key}` }
  /** Asks for one page and answers how long it took, in milliseconds. */
  return async (/** @type {{ filter: string, page: number }} */ { filter, page }) => {
    const startedMs = performance.now()
    const response = await fetch(`${url}?page=${page}&${filter}`, { headers })
    const { data } = await response.json()
    if (data?.length !== 50) throw new Error(`page ${page} of ${filter}: ${response.status}`)
    return performance.now() - startedMs
  }
}

/**
 * Asks for every case in turns.
 *
 * @param {ReturnType<typeof listOf>} list
 * @param {() => boolean} goesOn
 * @returns {Promise<Map<string, number[]>>} durations by case
 */
async function measure(list, goesOn) {
  const durations = new Map(CASES.map(({ name }) => [name, /** @type {number[]} */ ([])]))
  for (let round = 0; round < REQUESTS && goesOn(); round++) {
    for (const each of CASES) durations.get(each.name)?.push(await list(each))
  }
  return durations
}

/** @param {string} title @param {Map<string, number[]>} durations */
function report(title, durations) {
  console.log(`\n${title}, milliseconds over HTTP, ${durations.get(CASES[0].name)?.length} requests each`)
  console.log(`${''.padEnd(28)}${'p50'.padStart(8)}${'p99'.padStart(8)}`)
  for (const [name, values] of durations) console.log(row(name, values))
}

/** @param {string} name @param {readonly number[]} values */
function row(name, values) {
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(values, share).toFixed(1).padStart(8))
  return `${name.padEnd(28)}${p50}${p99}`
}

/** @param {import('knex').Knex} db */
async function timePurge(db) {
  const { purgeDeliveries, purgeEvents } = await import('../../dist/db/system/purge.js')
  const before = new Date(Date.now() - RETENTION_DAYS * 86_400_000)
  const batches = {
    deliveries: () => purgeDeliveries(db, before, PURGE_BATCH),
    events: () => purgeEvents(db, before, PURGE_BATCH),
  }
  const statements = await statementsOf(db, async () => {
    for (const batch of Object.values(batches)) await batch()
  })
  await checkPlans(db, 'The statements of the purge', statements)
  console.log(
    `\nBatches of ${PURGE_BATCH} of the purge, milliseconds${'p50'.padStart(8)}${'p99'.padStart(8)}`,
  )
  for (const [name, batch] of Object.entries(batches)) {
    const durations = []
    for (let n = 0; n < PURGE_BATCHES; n++) {
      const startedMs = performance.now()
      await batch()
      durations.push(performance.now() - startedMs)
    }
    console.log(row(name, durations))
  }
}

/** @param {import('knex').Knex} db @param {ReturnType<typeof listOf>} list */
async function listDuringPurge(db, list) {
  const { createPurge } = await import('../../dist/activities/purge.js')
  let removed = 0
  const log = {
    info: (/** @type {{ deliveries: number }} */ { deliveries }) => (removed = deliveries),
    warn: (/** @type {{ err: Error }} */ { err }) => console.error(err),
  }
  const deps = { config: { retentionDays: RETENTION_DAYS }, db, clock: () => new Date(), log }
  let isRunning = true
  const startedMs = performance.now()
  const purge = createPurge(deps)().finally(() => (isRunning = false))
  const durations = await measure(list, () => isRunning)
  report('Lists while the purge runs', durations)
  await purge
  const seconds = (performance.now() - startedMs) / 1000
  console.log(`The purge removed ${removed} deliveries in ${seconds.toFixed(0)} s, resting half of the time`)
}
