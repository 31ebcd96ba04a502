import { build } from '../build.mjs'
import { waitUntil } from '../lib/ready.mjs'
import { runSupervised } from '../lib/supervisor.mjs'
import { measureDeliveries, publishMany, subscribe } from './deliveries.mjs'
import { percentile } from './figures.mjs'
import { startStack } from './hostile/stack.mjs'
import { inTurns, medianPercentile } from './phases.mjs'

/*
 * What one hung endpoint costs its neighbours: the time from an accepted publish to the request at the endpoint, for
 * webhooks of the same company. Phases without the hung endpoint alternate with phases in which 1,000 deliveries wait for
 * it (`npm run bench:neighbours -- 5000` for more). So other load of the machine hits both. Takes about three minutes.
 */

const BACKLOG = Number(process.argv[2] ?? 1_000)
const ROUNDS = 5
const SECONDS = 12
const PUBLISHES_PER_SECOND = 10
const TYPES = ['contact.created', 'contact.updated', 'organization.created', 'organization.updated']
const HUNG_TYPE = 'deal.created'
/** Time-out and retry delay of the hung endpoint's attempts: equal, so that first, retried and waiting attempts mix. */
const HANG_SECONDS = 5
const SCHEDULE = { retry_schedule: [HANG_SECONDS] }

await runSupervised(async (supervisor) => {
  await build()
  const stack = await startStack(supervisor, { env: { WEBHOOK_TIMEOUT: `${HANG_SECONDS}s` } })
  const { api } = await stack.tenant()
  const { receiver } = stack
  const endpoints = TYPES.map((type) => ({ type, path: `/${type}` }))
  for (const endpoint of endpoints) await subscribe(api, receiver, { ...endpoint, ...SCHEDULE })
  const measure = async () => {
    const options = { endpoints, seconds: SECONDS, perSecond: PUBLISHES_PER_SECOND }
    const { receivedMs } = await measureDeliveries(api, receiver, options)
    console.log(`p99 ${percentile(receivedMs, 0.99)} ms`)
    return receivedMs
  }
  await measure()
  report(await inTurns({ rounds: ROUNDS, measure, attack: () => hang(api, receiver) }))
  return 0
})

/** @typedef {import('./deliveries.mjs').Api} Api @typedef {import('./deliveries.mjs').Receiver} Receiver */

/**
 * Hangs an endpoint and queues its backlog.
 *
 * @param {Api} api
 * @param {Receiver} receiver
 * @returns {Promise<() => Promise<void>>} deletes its webhook and gives its deliveries the time to be cancelled
 */
async function hang(api, receiver) {
  const path = `/${HUNG_TYPE}`
  receiver.behave(path, { hang: true })
  const id = await subscribe(api, receiver, { type: HUNG_TYPE, path, ...SCHEDULE })
  await publishMany(api, HUNG_TYPE, BACKLOG)
  await waitUntil('The first retry of the hung endpoint', async () => (await retried(api, id)) > 0)
  return async () => {
    await api('DELETE', `/api-v1-webhooks/${id}`)
    receiver.behave(path, undefined)
    await new Promise((resolve) => setTimeout(resolve, HANG_SECONDS * 1000))
  }
}

/** @param {Api} api @param {string} id @returns {Promise<number>} deliveries of the webhook that failed at least once */
async function retried(api, id) {
  const { data } = await api('GET', `/api-v1-webhooks/${id}/deliveries?status=retrying&limit=1`)
  return data.length
}

/** @param {{ quiet: number[][], attacked: number[][] }} delays of each round */
function report({ quiet, attacked }) {
  const medians = (/** @type {number[][]} */ rounds) =>
    [0.5, 0.99].map((share) => medianPercentile(rounds, share))
  const [without, hung] = [medians(quiet), medians(attacked)]
  console.log(
    `\nAccepted to received, milliseconds, medians over ${ROUNDS} rounds of ${quiet[0]?.length} events`,
  )
  console.log(line('', ['p50', 'p99']))
  console.log(line('without a hung endpoint', without))
  console.log(line(`with one, backlog ${BACKLOG}`, hung))
  const ratios = hung.map((value, index) => (value / (without[index] ?? NaN)).toFixed(2))
  console.log(line('ratio', ratios))
}

/** @param {string} name @param {readonly (string | number)[]} values */
function line(name, values) {
  return name.padEnd(28) + values.map((value) => String(value).padStart(8)).join('')
}
