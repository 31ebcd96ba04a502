import { build } from '../scripts/build.mjs'
import { apiClient } from '../scripts/demo/http.mjs'
import { runSupervised } from '../scripts/lib/supervisor.ts'
import { createKey } from '../scripts/stack/company.ts'
import { startService } from '../scripts/stack/services.ts'
import { makeDirectory, startDatabase } from '../scripts/stack/stack.ts'
import { createPurge } from '../src/activities/purge.ts'
import { connect, type SystemDb } from '../src/db/connection/connection.ts'
import { purgeDeliveries, purgeEvents } from '../src/db/purge/history.ts'
import { markdown, percentile, sum, timed } from './support/figures.ts'
import { createWebhook, DAYS, fillHistory, useLargeBufferPool, type Api } from './support/fill.ts'

/*
 * Lists over 1,000,000 deliveries (`npm run bench:lists -- 500000` for fewer): the first and the 100th page of
 * GET /api-v1-webhooks/:id/deliveries, before the purge of old history and while it runs; the lists by cursor of
 * deliveries, events and notices with their filters; searches that find nothing; and how long the batches of the purge take.
 */

const COUNT = Number(process.argv[2] ?? 1_000_000)
const REQUESTS = 200
const PURGE_BATCH = 500
const RETENTION_DAYS = 30

type Work = { readonly name: string; readonly run: () => Promise<unknown> }

await runSupervised(async (supervisor) => {
  await build()
  const dir = await makeDirectory(supervisor, 'bench-lists')
  const env = await startDatabase(supervisor, dir)
  const databaseUrl = env['DATABASE_URL'] ?? ''
  const db = connect(databaseUrl)
  await useLargeBufferPool(db)
  const { companyId, key } = await createKey(env, 'admin:all')
  const { url } = await startService(supervisor, { kind: 'server', env, logDir: dir })
  const api = apiClient(url, key)
  const webhookIds = []
  for (let n = 0; n < 5; n++) webhookIds.push(await createWebhook(api))
  await fillHistory(databaseUrl, companyId, webhookIds, COUNT)
  const [webhookId = ''] = webhookIds
  const middle = new Date(Date.now() - (DAYS / 2) * 86_400_000)
  const ofMiddle = db('deliveries').where({ webhook_id: webhookId }).where('created_at', '<', middle)
  const [eventId = ''] = await ofMiddle.limit(1).pluck<string[]>('event_id')
  const pages = pagesOf(api, webhookId)
  await measure('Pages of a webhook', pages)
  await measure('Lists by cursor', byCursor(api, webhookId, eventId, middle))
  for (const list of ['events', 'deliveries']) await search(api, list)
  await measure(`Batches of ${PURGE_BATCH} of the purge`, purges(db), 40)
  await listDuringPurge(db, pages)
  return 0
})

/** `name`: as the table shows it, '' without a filter; `records`: how many the answer must have, a page of 50 by default. */
type Filter = readonly [name: string, query: string, records?: number]

/** Asks for a list with each of the filters. @param list path and the begin of the query */
function asking(api: Api, title: string, list: string, filters: readonly Filter[]): Work[] {
  return filters.map(([filter, query, records = 50]) => {
    const name = `${title}${filter && `, ${filter}`}`
    const run = async () => {
      const { status, data } = (await api('GET', `${list}&${query}`)) as { status: number; data: unknown[] }
      if (status !== 200 || data.length !== records)
        throw new Error(`${name}: ${status}, not ${records} records`)
    }
    return { name, run }
  })
}

/** Pages of the deliveries of one webhook. */
function pagesOf(api: Api, webhookId: string): Work[] {
  const list = `/api-v1-webhooks/${webhookId}/deliveries`
  return ['', 'status=success', 'status=failed', 'status=failed,retrying'].flatMap((filter) =>
    [1, 100].flatMap((page) => asking(api, `page ${page}`, `${list}?page=${page}`, [[filter, filter]])),
  )
}

/** Lists by cursor, with their filters. @param middle half of the deliveries are older */
function byCursor(api: Api, webhookId: string, eventId: string, middle: Date): Work[] {
  const before = `created_before=${middle.toISOString()}`
  const all: Filter[] = [
    ['', ''],
    ['from the middle', before],
  ]
  const ofDeliveries: Filter[] = [
    ...all,
    ['status=pending,retrying,failed', 'status=pending,retrying,failed'],
    ['response=5xx from the middle', `response=5xx&${before}`],
    ['response=4xx, which fits none', 'response=4xx', 0],
    ['event_id', `event_id=${eventId}`, 1],
    ['payload=false', 'payload=false'],
  ]
  const ofNotices: Filter[] = [
    ...all,
    ['one of ten', 'kind=webhook_failing'],
    ['a kind that fits none', 'kind=webhook_gone', 0],
  ]
  const noType: Filter = ['a type that fits none', 'event_type=deal.created', 0]
  return [
    ...asking(api, 'all', '/api-v1-deliveries?cursor=', ofDeliveries),
    ...asking(api, 'webhook', `/api-v1-webhooks/${webhookId}/deliveries?cursor=`, ofDeliveries),
    ...asking(api, 'events', '/api-v1-events?cursor=', [...all, noType]),
    ...asking(api, 'notices', '/api-v1-notices?cursor=', ofNotices),
  ]
}

/** Runs the works in turns, `rounds` times or until `goesOn` returns false. Prints how long they took. */
async function measure(title: string, works: readonly Work[], rounds = REQUESTS, goesOn = () => true) {
  const measured = works.map((work) => ({ ...work, milliseconds: [] as number[] }))
  for (let round = 0; round < rounds && goesOn(); round++) {
    for (const { run, milliseconds } of measured) milliseconds.push(await timed(run))
  }
  const rows = measured.map(({ name, milliseconds }) => {
    return [name, ...[0.5, 0.99].map((share) => `${percentile(milliseconds, share).toFixed(1)} ms`)]
  })
  const count = measured[0]?.milliseconds.length
  console.log(`\n${markdown([[`${title}, ${count} each`, 'p50', 'p99'], ...rows])}`)
}

/** Searches for a text that is nowhere, part by part. Prints how long the parts took, and how many rows they read. */
async function search(api: Api, list: string): Promise<void> {
  const times: number[] = []
  let rows = 0
  for (let cursor: string | null = ''; cursor !== null;) {
    const path = `/api-v1-${list}?q=nobody@example.com&payload=false&limit=100&cursor=${cursor}`
    const startedMs = performance.now()
    const part = (await api('GET', path)) as {
      status: number
      pagination: { next_cursor: string | null }
      search: { examined: number }
    }
    if (part.status !== 200) throw new Error(`${path}: ${part.status}`)
    times.push(performance.now() - startedMs)
    rows += part.search.examined
    cursor = part.pagination.next_cursor
  }
  const perSecond = Math.round(rows / (sum(times) / 1000)).toLocaleString('en')
  const parts = `${times.length} parts, p50 ${percentile(times, 0.5).toFixed(0)} ms`
  console.log(`A search of ${list} that finds none: ${rows} rows in ${parts}, ${perSecond} rows a second`)
}

function purges(db: SystemDb): Work[] {
  const before = new Date(Date.now() - RETENTION_DAYS * 86_400_000)
  return [
    { name: 'deliveries', run: () => purgeDeliveries(db, before, PURGE_BATCH) },
    { name: 'events', run: () => purgeEvents(db, before, PURGE_BATCH) },
  ]
}

async function listDuringPurge(db: SystemDb, pages: readonly Work[]): Promise<void> {
  let removed = 0
  const info = ({ deliveries }: { deliveries: number }) => (removed = deliveries)
  const log = { info, warn: console.error }
  const config = { retentionDays: RETENTION_DAYS, auditRetentionDays: 400 }
  const deps = { config, db, log } as unknown as Parameters<typeof createPurge>[0]
  const state = { isRunning: true }
  const startedMs = performance.now()
  const purge = createPurge(deps)().finally(() => (state.isRunning = false))
  await Promise.all([measure('Lists while the purge runs', pages, REQUESTS, () => state.isRunning), purge])
  const seconds = (performance.now() - startedMs) / 1000
  console.log(`The purge removed ${removed} deliveries in ${seconds.toFixed(0)} s, resting half of the time`)
}
