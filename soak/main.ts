import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from '../build.mjs'
import { formatDuration } from '../lib/progress.mjs'
import { runSupervised } from '../lib/supervisor.mjs'
import { settleAndCompare } from './account/compare.mjs'
import { recoverAll } from './asks.mjs'
import { WebhookOwner } from './changes.mjs'
import { SoakClient } from './client.mjs'
import { Endpoints } from './endpoints.mjs'
import { killParts } from './kills.mjs'
import { Ledger } from './ledger.mjs'
import { checkLane, readOptions } from './options.mjs'
import { Publisher } from './publishes.mjs'
import { SeededRandom } from './random.mjs'
import { ReceiverRecord } from './record.mjs'
import { describeKill, renderReport } from './report.mjs'
import { startSoakStack } from './stack.mjs'
import { createWebhooks, makeTraffic } from './traffic.mjs'
import { SoakWebhooks } from './webhooks.mjs'

/*
 * Runs the whole service under mixed traffic while its parts are killed, and accounts for every accepted event:
 * `npm run soak -- --minutes 10 --seed 1`. It brings its own servers, on free ports and in a temporary directory. Ends with
 * exit code 1 when something was lost, or when receivers, database and Temporal do not agree; then the directory is kept.
 * More options: options.mjs. docs/reliability.md says what is checked.
 */

await runSupervised(async (supervisor) => {
  const options = readOptions(process.argv.slice(2))
  await build()
  await checkLane(options.lane)
  console.log(`seed ${options.seed}, lane ${options.lane}`)
  const dir = await mkdtemp(path.join(tmpdir(), 'soak-'))
  supervisor.onCleanup(async (code) => {
    if (code === 1) console.error(`The logs and data are kept in ${dir}`)
    else await rm(dir, { recursive: true, force: true })
  })
  const stack = await startSoakStack(supervisor, { dir, lane: options.lane })
  const actors = await createActors(stack, options.seed)
  await createWebhooks(actors)
  const untilMs = Date.now() + options.minutes * 60_000
  console.log(`everything runs after ${formatDuration(performance.now())}; traffic and kills begin`)
  const random = new SeededRandom(options.seed).fork('kills')
  const onKill = (/** @type {import('./kills.mjs').Kill} */ kill) => console.log(describeKill(kill))
  const [traffic, kills] = await Promise.all([
    makeTraffic(actors, { perSecond: options.perSecond, untilMs }),
    killParts(stack, { random, options, untilMs, onKill }),
  ])
  const { endpoints, ledger, record, webhooks } = actors
  await endpoints.heal()
  await recoverAll(actors)
  const observed = { ledger, record, kills, spells: endpoints.spells, webhooks: webhooks.all }
  const result = await settleAndCompare(stack.env, observed)
  const report = renderReport(options, result, { kills, traffic, ...actors })
  console.log(report)
  await writeFile(path.join(dir, 'report.txt'), `${report}\n`)
  console.log(`the run took ${formatDuration(performance.now())}`)
  return result.account.isGood() ? 0 : 1
})

/** @param {import('./stack.mjs').SoakStack} stack @param {string} seed */
async function createActors(stack, seed) {
  const random = new SeededRandom(seed)
  const client = new SoakClient(stack.api)
  const ledger = new Ledger()
  const record = new ReceiverRecord()
  const endpoints = new Endpoints({ tls: stack.tls, record, random: random.fork('endpoints') })
  await endpoints.start()
  const publisher = new Publisher({ client, ledger, random: random.fork('events') })
  const webhooks = new SoakWebhooks()
  const parts = { client, ledger, record, webhooks, endpoints }
  const owner = new WebhookOwner({ ...parts, random: random.fork('webhooks') })
  return { ...parts, publisher, owner, random: random.fork('calls') }
}
