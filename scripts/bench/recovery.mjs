import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from '../build.mjs'
import { formatDuration } from '../lib/progress.mjs'
import { runSupervised } from '../lib/supervisor.mjs'
import { insertFailedDeliveries } from './hostile/failed-deliveries.mjs'
import { startStack } from './hostile/stack.mjs'

/*
 * A recovery of a window of 1,000,000 failed deliveries (`npm run bench:recovery -- 20000` for fewer, `-- 1000000 120` for its
 * first 120 seconds only). Prints the rate, the memory of the worker, and how many statements took longer than 200 ms. Ends with
 * exit code 1 when there was one, or when the memory grew by more than half from the first tenth of the time to the last.
 */

const COUNT = Number(process.argv[2] ?? 1_000_000)
const LONGEST_S = Number(process.argv[3] ?? Infinity)
const SLOW_MS = 200
const BUFFER_POOL_BYTES = 1024 ** 3
const LOOK_EVERY_MS = 1_000
const GROWTH = 1.5
const PATH = '/recovered'

await runSupervised(async (supervisor) => {
  await build()
  const options = { env: { DELIVERY_FIRST_ATTEMPT: 'direct' }, workers: 0, keepsRequests: false }
  const stack = await startStack(supervisor, options)
  const { db, receiver } = stack
  const { api, companyId } = await stack.tenant()
  const body = { name: 'recovered', url: receiver.url(PATH), events: ['contact.created'] }
  const { id } = (await api('POST', '/api-v1-webhooks', body)).data
  await db.raw('SET GLOBAL innodb_buffer_pool_size = ?', [BUFFER_POOL_BYTES])
  const filledMs = performance.now()
  await insertFailedDeliveries(stack, { companyId, webhookId: id, count: COUNT })
  console.log(`${COUNT} failed deliveries, filled in ${formatDuration(performance.now() - filledMs)}`)
  await db.raw(`SET GLOBAL log_output = 'TABLE', long_query_time = ${SLOW_MS / 1000}, slow_query_log = 1`)
  // Only connections that begin now have the limit of slow statements.
  const worker = await stack.startWorker()
  const facts = await recover(worker.pid, api, id)
  const slow = await slowStatements(db)
  return report(facts, slow)
})

/**
 * Recovers all of them and looks once a second.
 *
 * @param {number} pid of the worker
 * @param {import('./hostile/stack.mjs').Api} api
 * @param {string} webhookId
 * @returns {Promise<{ queued: number, seconds: number, memoryMiB: number[], status: string }>}
 */
async function recover(pid, api, webhookId) {
  const answer = await api('POST', `/api-v1-webhooks/${webhookId}/recover`, { since: '2020-01-01T00:00:00Z' })
  const { id } = answer.data
  const startedMs = performance.now()
  const memoryMiB = []
  for (;;) {
    await sleep(LOOK_EVERY_MS)
    memoryMiB.push(await memoryOf(pid))
    const { data } = await api('GET', `/api-v1-webhooks/${webhookId}/recoveries/${id}`)
    const seconds = (performance.now() - startedMs) / 1000
    if (data.status !== 'running' || seconds >= LONGEST_S) {
      return { queued: data.queued, seconds, memoryMiB, status: data.status }
    }
  }
}

/** @param {number} pid @returns {Promise<number>} what the process has in memory, in MiB */
async function memoryOf(pid) {
  const [, kib] = /^VmRSS:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kib) / 1024)
}

/** @param {import('knex').Knex} db @returns {Promise<{ sql_text: Buffer, query_time: string }[]>} */
async function slowStatements(db) {
  await db.raw('SET GLOBAL slow_query_log = 0')
  const [rows] = await db.raw(
    "SELECT sql_text, query_time FROM mysql.slow_log WHERE sql_text NOT LIKE '%slow_log%' ORDER BY query_time DESC LIMIT 5",
  )
  return rows
}

/**
 * @param {{ queued: number, seconds: number, memoryMiB: number[], status: string }} facts
 * @param {{ sql_text: Buffer, query_time: string }[]} slow
 * @returns {number} the exit code
 */
function report({ queued, seconds, memoryMiB, status }, slow) {
  const tenth = Math.max(1, Math.floor(memoryMiB.length / 10))
  const [first, last] = [Math.max(...memoryMiB.slice(0, tenth)), Math.max(...memoryMiB.slice(-tenth))]
  console.log(
    `${status}: ${queued} deliveries in ${seconds.toFixed(1)} s, ${(queued / seconds).toFixed(0)} a second`,
  )
  console.log(`memory of the worker: ${first} MiB in the first tenth of the time, ${last} MiB in the last`)
  console.log(`statements above ${SLOW_MS} ms: ${slow.length}`)
  for (const { sql_text: sql, query_time: time } of slow)
    console.log(`  ${time}  ${String(sql).slice(0, 200)}`)
  return slow.length === 0 && last <= first * GROWTH ? 0 : 1
}
