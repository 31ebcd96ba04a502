import { cpus } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { build } from '../build.mjs'
import { freePorts } from '../lib/ports.mjs'
import { tcpAnswers, waitUntil } from '../lib/ready.mjs'
import { runSupervised } from '../lib/supervisor.mjs'
import { createKey } from '../stack/company.ts'
import { makeDirectory, startDatabase } from '../stack/stack.ts'

/*
 * What authentication costs: requests per second of GET /api-v1-webhooks with it over the same route without it, as a
 * ratio, and both p50 and p99. The two variants take turns, so that whatever else the machine does hits both. Takes
 * about a minute: 8 rounds of `SECONDS` and a database of its own, durable as in production.
 */

const SERVER = fileURLToPath(new URL('./auth-server.mjs', import.meta.url))
const SECONDS = 5
const WARM_UP_SECONDS = 3
const ROUNDS = 4
const CONNECTIONS = 16
const VARIANTS = /** @type {const} */ (['without', 'with'])

await runSupervised(async (supervisor) => {
  await build()
  const dir = await makeDirectory(supervisor, 'bench-auth')
  const env = await startDatabase(supervisor, dir)
  const { key } = await createKey(env, 'read:webhooks')
  const ports = await freePorts(VARIANTS.map(() => 0))
  /** @type {Record<string, string>} */
  const urls = {}
  for (const [index, variant] of VARIANTS.entries()) {
    const port = ports[index]
    supervisor.start({
      name: variant,
      command: process.execPath,
      args: [SERVER, variant, String(port), key],
      env,
      logFile: path.join(dir, `${variant}.log`),
    })
    await waitUntil(`The server ${variant} authentication`, () => tcpAnswers('127.0.0.1', port))
    urls[variant] = `http://127.0.0.1:${port}/api-v1-webhooks`
  }
  report(await measure(urls, key))
  return 0
})

/**
 * @param {Record<string, string>} urls by variant
 * @param {string} key
 * @returns {Promise<Record<string, autocannon.Result[]>>} the rounds of each variant
 */
async function measure(urls, key) {
  const headers = { authorization: `Bearer ${key}` }
  const shoot = (/** @type {string} */ variant, /** @type {number} */ duration) =>
    autocannon({ url: urls[variant], connections: CONNECTIONS, duration, headers })
  for (const variant of VARIANTS) await shoot(variant, WARM_UP_SECONDS)
  /** @type {Record<string, autocannon.Result[]>} */
  const results = { without: [], with: [] }
  for (let round = 0; round < ROUNDS; round++) {
    for (const variant of VARIANTS) {
      const result = await shoot(variant, SECONDS)
      if (result.non2xx + result.errors > 0)
        throw new Error(`${result.non2xx + result.errors} requests failed`)
      results[variant].push(result)
    }
  }
  return results
}

/** @param {Record<string, autocannon.Result[]>} results */
function report(results) {
  const [without, withAuthentication] = VARIANTS.map((variant) => summarise(results[variant] ?? []))
  console.log(
    `GET /api-v1-webhooks, ${CONNECTIONS} connections, ${ROUNDS} x ${SECONDS} s each, ${cpus().length} cores`,
  )
  console.log(describe('without authentication', without))
  console.log(describe('with authentication', withAuthentication))
  console.log(`ratio: ${(withAuthentication.requestsPerSecond / without.requestsPerSecond).toFixed(2)}`)
}

/** @param {readonly autocannon.Result[]} rounds medians over the rounds */
function summarise(rounds) {
  return {
    requestsPerSecond: median(rounds.map(({ requests }) => requests.average)),
    p50Ms: median(rounds.map(({ latency }) => latency.p50)),
    p99Ms: median(rounds.map(({ latency }) => latency.p99)),
  }
}

/** @param {readonly number[]} values */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  return (
    ((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) + (sorted[Math.ceil((sorted.length - 1) / 2)] ?? 0)) /
    2
  )
}

/** @param {string} name @param {ReturnType<typeof summarise>} summary */
function describe(name, { requestsPerSecond, p50Ms, p99Ms }) {
  return `${name.padEnd(24)}${Math.round(requestsPerSecond)} requests/s, p50 ${p50Ms} ms, p99 ${p99Ms} ms`
}
