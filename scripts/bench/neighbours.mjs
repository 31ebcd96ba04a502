import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from '../build.mjs'
import { apiClient } from '../demo/http.mjs'
import { createContext } from '../lib/find.mjs'
import { freePorts } from '../lib/ports.mjs'
import { httpAnswers, waitUntil } from '../lib/ready.mjs'
import { runSupervised } from '../lib/supervisor.mjs'
import { findTemporal } from '../lib/temporal/find.mjs'
import { launchTemporal } from '../lib/temporal/launch.mjs'
import { createReceiver } from '../receiver/receiver.mjs'
import { createKey, prepareDatabase } from './database.mjs'
import { percentile } from './figures.mjs'

/*
 * What one hung endpoint costs its neighbours: the time from an accepted publish to the request at the endpoint, for
 * webhooks of the same company, without it and with 1,000 deliveries behind it (`npm run bench:neighbours -- 5000` for
 * more). Both take turns in one run, so that whatever else the machine does hits both. Takes about three minutes.
 */

const BACKLOG = Number(process.argv[2] ?? 1_000)
const ROUNDS = 5
const SECONDS = 12
const PUBLISHES_PER_SECOND = 10
const TYPES = ['contact.created', 'contact.updated', 'organization.created', 'organization.updated']
const HUNG_TYPE = 'deal.created'
/** The hung endpoint's attempts end after this long and come back as soon, so that the first, retried and waiting mix. */
const HANG_SECONDS = 5
const BATCH = 100

await runSupervised(async (supervisor) => {
  await build()
  const dir = await mkdtemp(path.join(tmpdir(), 'bench-neighbours-'))
  supervisor.onCleanup(() => rm(dir, { recursive: true, force: true }))
  const receiver = await createReceiver()
  const api = await startService(supervisor, dir, receiver)
  for (const type of TYPES) await subscribe(api, receiver, type)
  await measure(api, receiver)
  /** @type {{ without: number[][], with: number[][] }} */
  const delays = { without: [], with: [] }
  for (let round = 1; round <= ROUNDS; round++) {
    const without = await measure(api, receiver)
    const id = await hang(api, receiver)
    const with_ = await measure(api, receiver)
    await unhang(api, receiver, id)
    console.log(
      `round ${round}: p99 ${percentile(without, 0.99)} ms without, ${percentile(with_, 0.99)} ms with`,
    )
    delays.without.push(without)
    delays.with.push(with_)
  }
  report(delays)
  await receiver.close()
  return 0
})

/** @typedef {ReturnType<typeof apiClient>} Api @typedef {import('../receiver/receiver.d.mts').Receiver} Receiver */

/**
 * @param {import('../lib/supervisor.mjs').Supervisor} supervisor
 * @param {string} dir
 * @param {Receiver} receiver
 * @returns {Promise<Api>} of a service with one worker on servers of its own
 */
async function startService(supervisor, dir, receiver) {
  const [databasePort, grpc, http, metrics, apiPort, workerPort] = await freePorts([0, 0, 0, 0, 0, 0])
  const databaseEnv = await prepareDatabase(supervisor, dir, databasePort)
  const caFile = path.join(dir, 'ca.pem')
  await writeFile(caFile, receiver.caPem)
  const env = {
    ...databaseEnv,
    TEMPORAL_ADDRESS: await startTemporal(supervisor, dir, { grpc, http, metrics }),
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
    WEBHOOK_CA_FILE: caFile,
    WEBHOOK_TIMEOUT: `${HANG_SECONDS}s`,
    PORT: String(apiPort),
    WORKER_PORT: String(workerPort),
  }
  for (const [name, port] of /** @type {const} */ ([
    ['server', apiPort],
    ['worker', workerPort],
  ])) {
    const logFile = path.join(dir, `${name}.log`)
    supervisor.start({ name, command: process.execPath, args: [`dist/${name}.js`], env, logFile })
    await waitUntil(`The ${name}`, () => httpAnswers(`http://127.0.0.1:${port}/readyz`))
  }
  const { key } = await createKey(env, 'admin:all')
  return apiClient(`http://127.0.0.1:${apiPort}`, key)
}

/**
 * @param {import('../lib/supervisor.mjs').Supervisor} supervisor
 * @param {string} dir
 * @param {{ grpc: number, http: number, metrics: number }} ports
 */
async function startTemporal(supervisor, dir, ports) {
  const context = createContext({ env: process.env, onUpdate: () => undefined })
  const found = await findTemporal(context)
  if (found.kind === 'address') return found.address
  const { address } = await launchTemporal({
    ...{ supervisor, executable: found.executable, ports, isDurable: true, env: context.env },
    ...{ databaseFile: path.join(dir, 'temporal.db'), logFile: path.join(dir, 'temporal.log') },
  })
  return address
}

/**
 * @param {Api} api @param {Receiver} receiver @param {string} type also the endpoint's path
 * @returns {Promise<string>} the webhook's id
 */
async function subscribe(api, receiver, type) {
  const { data } = await api('POST', '/api-v1-webhooks', {
    name: type,
    url: receiver.url(`/${type}`),
    events: [type],
    retry_schedule: [HANG_SECONDS],
  })
  return data.id
}

/** Hangs an endpoint and queues its backlog. @param {Api} api @param {Receiver} receiver */
async function hang(api, receiver) {
  receiver.behave(`/${HUNG_TYPE}`, { hang: true })
  const id = await subscribe(api, receiver, HUNG_TYPE)
  for (let sent = 0; sent < BACKLOG; sent += BATCH) {
    const events = Array.from({ length: Math.min(BATCH, BACKLOG - sent) }, () => ({
      event: HUNG_TYPE,
      data: {},
    }))
    await api('POST', '/api-v1-events', { events })
  }
  await waitUntil('The first retry of the hung endpoint', async () => (await retried(api, id)) > 0)
  return id
}

/** @param {Api} api @param {string} id @returns {Promise<number>} deliveries of the webhook that failed at least once */
async function retried(api, id) {
  const { data } = await api('GET', `/api-v1-webhooks/${id}/deliveries?status=retrying&limit=1`)
  return data.length
}

/** Deletes the hung webhook and gives its deliveries the time to be cancelled. @param {Api} api @param {Receiver} receiver @param {string} id */
async function unhang(api, receiver, id) {
  await api('DELETE', `/api-v1-webhooks/${id}`)
  receiver.behave(`/${HUNG_TYPE}`, undefined)
  await new Promise((resolve) => setTimeout(resolve, HANG_SECONDS * 1000))
}

/**
 * Publishes one event after the other, for the neighbours in turns, at a fixed rate.
 *
 * @param {Api} api @param {Receiver} receiver
 * @returns {Promise<number[]>} milliseconds from each answer to the request's arrival
 */
async function measure(api, receiver) {
  const before = new Map(TYPES.map((type) => [type, receiver.requestsTo(`/${type}`).length]))
  /** @type {Map<string, number>} */
  const acceptedMs = new Map()
  const publishes = []
  for (let n = 0; n < SECONDS * PUBLISHES_PER_SECOND; n++) {
    publishes.push(publish(api, TYPES[n % TYPES.length] ?? '', acceptedMs))
    await new Promise((resolve) => setTimeout(resolve, 1000 / PUBLISHES_PER_SECOND))
  }
  await Promise.all(publishes)
  const delays = []
  for (const type of TYPES) {
    const already = before.get(type) ?? 0
    const count = already + publishes.length / TYPES.length
    const requests = await receiver.waitFor(`/${type}`, count, { timeoutMs: 60_000 })
    for (const { headers, receivedAt } of requests.slice(already)) {
      delays.push(Math.max(0, receivedAt.getTime() - (acceptedMs.get(String(headers['webhook-id'])) ?? NaN)))
    }
  }
  return delays
}

/** @param {Api} api @param {string} event @param {Map<string, number>} acceptedMs */
async function publish(api, event, acceptedMs) {
  const { status, data } = await api('POST', '/api-v1-events', { event, data: {} })
  if (status !== 201) throw new Error(`a publish was answered with ${status}`)
  acceptedMs.set(data.id, Date.now())
}

/** @param {{ without: number[][], with: number[][] }} delays of each round */
function report({ without, with: with_ }) {
  const medians = (/** @type {number[][]} */ rounds) =>
    [0.5, 0.99].map((share) =>
      percentile(
        rounds.map((values) => percentile(values, share)),
        0.5,
      ),
    )
  const [quiet, hung] = [medians(without), medians(with_)]
  console.log(
    `\nAccepted to received, milliseconds, medians over ${ROUNDS} rounds of ${without[0]?.length} events`,
  )
  console.log(row('', ['p50', 'p99']))
  console.log(row('without a hung endpoint', quiet))
  console.log(row(`with one, backlog ${BACKLOG}`, hung))
  const ratios = hung.map((value, index) => (value / (quiet[index] ?? NaN)).toFixed(2))
  console.log(row('ratio', ratios))
}

/** @param {string} name @param {readonly (string | number)[]} values */
function row(name, values) {
  return name.padEnd(28) + values.map((value) => String(value).padStart(8)).join('')
}
