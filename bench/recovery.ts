import { setTimeout as sleep } from 'node:timers/promises'
import { build } from '../scripts/build.mjs'
import { apiClient } from '../scripts/demo/http.mjs'
import { formatDuration } from '../scripts/lib/progress.ts'
import { runSupervised } from '../scripts/lib/supervisor.ts'
import { createReceiver } from '../scripts/receiver/receiver.ts'
import { createKey } from '../scripts/stack/company.ts'
import { makeDirectory, startStack } from '../scripts/stack/stack.ts'
import { connect, type SystemDb } from '../src/db/connection/connection.ts'
import { memoryMib, timed } from './support/figures.ts'
import { deliveriesOf, fillRows } from './support/fill.ts'
import { createWebhook, useLargeBufferPool, type Api } from './support/stack.ts'

/*
 * A recovery of a window of 1,000,000 failed deliveries (`npm run bench:recovery -- 20000` for fewer, `-- 1000000 120` for its
 * first 120 seconds only). Prints the rate, the memory of the worker, and how many statements took longer than 200 ms. Ends with
 * exit code 1 when there was one, or when the memory grew by more than half from the first tenth of the time to the last.
 */

const COUNT = Number(process.argv[2] ?? 1_000_000)
const LONGEST_S = Number(process.argv[3] ?? Infinity)
const SLOW_MS = 200
const LOOK_EVERY_MS = 1_000
const GROWTH = 1.5

await runSupervised(async (supervisor) => {
  await build()
  const settings = { DELIVERY_FIRST_ATTEMPT: 'direct' }
  const dir = await makeDirectory(supervisor, 'bench-recovery')
  const { env, tls, start } = await startStack(supervisor, { dir, settings })
  const databaseUrl = env['DATABASE_URL'] ?? ''
  const db = connect(databaseUrl)
  await useLargeBufferPool(db)
  const receiver = await createReceiver({ cert: tls.cert, key: tls.key, isKept: false })
  const { companyId, key } = await createKey(env, 'admin:all')
  const api: Api = apiClient((await start('server')).url, key)
  const id = await createWebhook(api, { url: receiver.url('/recovered') })
  const filledMs = await timed(() => fillRows(databaseUrl, failedDeliveries(companyId, id)))
  console.log(`${COUNT} failed deliveries, filled in ${formatDuration(filledMs)}`)
  await db.raw(`SET GLOBAL log_output = 'TABLE', long_query_time = ${SLOW_MS / 1000}, slow_query_log = 1`)
  // Only connections that begin now have the limit of slow statements.
  const { pid } = await start('worker')
  const isFlat = await recover(pid, api, id)
  const slow = await slowStatements(db)
  console.log(`statements above ${SLOW_MS} ms: ${slow.length}`)
  for (const { sql, time } of slow) console.log(`  ${time}  ${sql.slice(0, 200)}`)
  return slow.length === 0 && isFlat ? 0 : 1
})

/** Statements for deliveries of a webhook that failed a day ago, one each 50 ms, and of which no workflow knows. */
function failedDeliveries(companyId: string, webhookId: string): string[] {
  return [
    ...deliveriesOf(COUNT, {
      companyId: `'${companyId}'`,
      webhookId: `'${webhookId}'`,
      createdAt: 'NOW(3) - INTERVAL 1 DAY + INTERVAL n * 50 * 1000 MICROSECOND',
      status: "'failed'",
      columns: {
        attempts: '0',
        max_attempts: '1',
        closed_at: 'NOW(3)',
        closed_reason: "'attempts_used'",
        in_temporal: '0',
      },
    }),
    `INSERT INTO webhook_counters (webhook_id, shard, failed) VALUES ('${webhookId}', 200, ${COUNT})`,
    'ANALYZE TABLE deliveries, events',
  ]
}

/** Recovers all of them and looks once a second. Gives whether the memory of the worker stayed flat. */
async function recover(pid: number, api: Api, webhookId: string): Promise<boolean> {
  const path = `/api-v1-webhooks/${webhookId}`
  const { data: begun } = await api('POST', `${path}/recover`, { since: '2020-01-01T00:00:00Z' })
  const startedMs = performance.now()
  const memory: number[] = []
  for (;;) {
    await sleep(LOOK_EVERY_MS)
    memory.push(Math.round(await memoryMib(pid)))
    const { data } = await api('GET', `${path}/recoveries/${begun.id}`)
    const seconds = (performance.now() - startedMs) / 1000
    if (data.status === 'running' && seconds < LONGEST_S) continue
    const rate = (data.queued / seconds).toFixed(0)
    console.log(`${data.status}: ${data.queued} deliveries in ${seconds.toFixed(1)} s, ${rate} a second`)
    const tenth = Math.max(1, Math.floor(memory.length / 10))
    const [first, last] = [Math.max(...memory.slice(0, tenth)), Math.max(...memory.slice(-tenth))]
    console.log(`memory of the worker: ${first} MiB in the first tenth of the time, ${last} MiB in the last`)
    return last <= first * GROWTH
  }
}

async function slowStatements(db: SystemDb): Promise<{ sql: string; time: string }[]> {
  await db.raw('SET GLOBAL slow_query_log = 0')
  const [rows] = (await db.raw(
    `SELECT CONVERT(sql_text USING utf8mb4) AS \`sql\`, query_time AS time FROM mysql.slow_log
     WHERE sql_text NOT LIKE '%slow_log%' ORDER BY query_time DESC LIMIT 5`,
  )) as [{ sql: string; time: string }[]]
  return rows
}
