import { build } from '../build.mjs'
import { apiClient } from '../demo/http.mjs'
import { runSupervised } from '../lib/supervisor.mjs'
import { createKey } from '../stack/company.ts'
import { startService } from '../stack/services.ts'
import { makeDirectory, startDatabase } from '../stack/stack.ts'
import { percentile } from './figures.mjs'
import { cursorCases, pageCases, showListPlans } from './lists-cases.mjs'
import { fillDeliveries } from './lists-fill.mjs'
import { checkPlans, statementsOf } from './lists-plans.mjs'

/*
 * Lists over 1,000,000 deliveries (`npm run bench:lists -- 100000` for fewer): the first and the 100th page of
 * GET /api-v1-webhooks/:id/deliveries, before the purge of old history and while it runs; the lists by cursor of
 * deliveries, events and notices with their filters; how long the batches of the purge take; and the plan of every
 * statement, none of which may read all of a table that grows with every event.
 */

const COUNT = Number(process.argv[2] ?? 1_000_000)
const WEBHOOKS = 5
const REQUESTS = 200
const PURGE_BATCHES = 40
const PURGE_BATCH = 500
const RETENTION_DAYS = 30
const NAME_WIDTH = 52
/** The memory that a production server would have for this much data. */
const BUFFER_POOL_BYTES = 1024 ** 3

await runSupervised(async (supervisor) => {
  await build()
  const dir = await makeDirectory(supervisor, 'bench-lists')
  const env = await startDatabase(supervisor, dir)
  const { companyId, key } = await createKey(env, 'read:webhooks,write:webhooks')
  const { url } = await startService(supervisor, { kind: 'server', env, logDir: dir })
  const webhookIds = await createWebhooks(url, key)
  const { connect } = await import('../../src/db/connection/connection.ts')
  const db = connect(env.DATABASE_URL)
  await db.raw('SET GLOBAL innodb_buffer_pool_size = ?', [BUFFER_POOL_BYTES])
  await fillDeliveries(db, { companyId, webhookIds, count: COUNT })

  const filled = { companyId, webhookId: webhookIds[0], ...(await findMiddle(db, webhookIds[0])) }
  await showListPlans(db, filled)
  await showReconcilerPlans(db)
  await showNoticePlans(db)
  const list = listOf(url, key)
  const pages = pageCases(filled.webhookId)
  report('Pages of a webhook', await measure(list, pages, () => true))
  report('Lists by cursor', await measure(list, cursorCases(filled), () => true))
  await timePurge(db)
  await listDuringPurge(db, list, pages)
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

/**
 * Finds an event of the webhook, and the time before which half of its deliveries were made.
 *
 * @param {import('knex').Knex} db
 * @param {string} webhookId
 * @returns {Promise<{ eventId: string, middle: Date }>}
 */
async function findMiddle(db, webhookId) {
  const ofWebhook = () => db('deliveries').where({ webhook_id: webhookId })
  const [span] = await ofWebhook().min({ first: 'created_at' }).max({ last: 'created_at' })
  const middle = new Date((span.first.getTime() + span.last.getTime()) / 2)
  const { event_id: eventId } = await ofWebhook().where('created_at', '<', middle).first('event_id')
  return { eventId, middle }
}

/** @param {import('knex').Knex} db */
async function showReconcilerPlans(db) {
  const { wakeForgottenDeliveries } = await import('../../src/db/delivery/forgotten-deliveries.ts')
  const page = { afterMs: 365 * 86_400_000, from: undefined, limit: 1_000 }
  const wake = await statementsOf(db, async () => {
    for (const part of /** @type {const} */ (['overdue', 'parked']))
      await wakeForgottenDeliveries(db, part, page)
  })
  await checkPlans(db, 'The statements of the reconciler', wake)
}

/** @param {import('knex').Knex} db */
async function showNoticePlans(db) {
  const causes = await import('../../src/db/notice/causes.ts')
  const now = new Date()
  const range = { now, after: new Date(0) }
  const looks = await statementsOf(db, async () => {
    for (const how of /** @type {const} */ (['probed', 'long'])) await causes.listFailing(db, how, range)
    await causes.listFailedDeliveries(db, { thisHour: now, hours: 23 })
    await causes.listEndingKeys(db, 'key_expires_in_1_day', { after: now, until: now, isInRotation: false })
  })
  await checkPlans(db, 'The statements that look for notices', looks)
}

/** @param {string} url @param {string} key */
function listOf(url, key) {
  const headers = { authorization: `Bearer ${key}` }
  /** Asks for one page and answers how long it took, in milliseconds. */
  return async (/** @type {import('./lists-cases.mjs').Case} */ { name, path, records }) => {
    const startedMs = performance.now()
    const response = await fetch(`${url}${path}`, { headers })
    const { data } = await response.json()
    if (data?.length !== records) throw new Error(`${name}: ${response.status}, ${data?.length} records`)
    return performance.now() - startedMs
  }
}

/**
 * Asks for every case in turns.
 *
 * @param {ReturnType<typeof listOf>} list
 * @param {readonly import('./lists-cases.mjs').Case[]} cases
 * @param {() => boolean} goesOn
 * @returns {Promise<Map<string, number[]>>} durations by case
 */
async function measure(list, cases, goesOn) {
  const durations = new Map(cases.map(({ name }) => [name, /** @type {number[]} */ ([])]))
  for (let round = 0; round < REQUESTS && goesOn(); round++) {
    for (const each of cases) durations.get(each.name)?.push(await list(each))
  }
  return durations
}

/** @param {string} title @param {Map<string, number[]>} durations */
function report(title, durations) {
  const [first] = durations.values()
  console.log(`\n${title}, milliseconds over HTTP, ${first?.length} requests each`)
  console.log(`${''.padEnd(NAME_WIDTH)}${'p50'.padStart(8)}${'p99'.padStart(8)}`)
  for (const [name, values] of durations) console.log(row(name, values))
}

/** @param {string} name @param {readonly number[]} values */
function row(name, values) {
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(values, share).toFixed(1).padStart(8))
  return `${name.padEnd(NAME_WIDTH)}${p50}${p99}`
}

/** @param {import('knex').Knex} db */
async function timePurge(db) {
  const { purgeDeliveries, purgeEvents } = await import('../../src/db/purge/history.ts')
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

/**
 * @param {import('knex').Knex} db
 * @param {ReturnType<typeof listOf>} list
 * @param {readonly import('./lists-cases.mjs').Case[]} cases
 */
async function listDuringPurge(db, list, cases) {
  const { createPurge } = await import('../../src/activities/purge.ts')
  let removed = 0
  const log = {
    info: (/** @type {{ deliveries: number }} */ { deliveries }) => (removed = deliveries),
    warn: (/** @type {{ err: Error }} */ { err }) => console.error(err),
  }
  const deps = { config: { retentionDays: RETENTION_DAYS }, db, clock: () => new Date(), log }
  let isRunning = true
  const startedMs = performance.now()
  const purge = createPurge(deps)().finally(() => (isRunning = false))
  const durations = await measure(list, cases, () => isRunning)
  report('Lists while the purge runs', durations)
  await purge
  const seconds = (performance.now() - startedMs) / 1000
  console.log(`The purge removed ${removed} deliveries in ${seconds.toFixed(0)} s, resting half of the time`)
}
