import { build } from '../scripts/build.mjs'
import { runSupervised } from '../scripts/lib/supervisor.ts'
import { createKey } from '../scripts/stack/company.ts'
import { makeDirectory, startDatabase } from '../scripts/stack/stack.ts'
import type * as authServer from './auth-server.ts'
import { startChild } from './support/child.ts'
import { markdown, median, summarise, type Times } from './support/figures.ts'
import { keepConnection } from './throughput/wire.ts'

/*
 * What authentication costs: requests per second of GET /api-v1-webhooks with it over the same route without it, as a
 * ratio, and both p50 and p99. The two variants take turns, so that whatever else the machine does hits both. Takes
 * about a minute: 4 rounds of both (`npm run bench:auth -- 1` for fewer) and a database of its own, durable as in production.
 */

const SECONDS = 5
const WARM_UP_SECONDS = 3
const ROUNDS = Number(process.argv[2] ?? 4)
const CONNECTIONS = 16

await runSupervised(async (supervisor) => {
  await build()
  const env = await startDatabase(supervisor, await makeDirectory(supervisor, 'bench-auth'))
  const { key } = await createKey(env, 'read:webhooks')
  const servers = []
  for (const variant of ['without', 'with'] as const) {
    const { call } = startChild<typeof authServer>(new URL('./auth-server.ts', import.meta.url))
    servers.push({ variant, port: await call('serve', { variant, key, env }), rounds: [] as Times[] })
  }
  for (const { port } of servers) await shoot(port, key, WARM_UP_SECONDS)
  for (let round = 0; round < ROUNDS; round++) {
    for (const { port, rounds } of servers) rounds.push(await shoot(port, key, SECONDS))
  }
  const ms = (values: readonly number[]) => `${median(values).toFixed(1)} ms`
  const rates = servers.map(({ rounds }) => median(rounds.map(({ count }) => count)) / SECONDS)
  const rows = servers.map(({ variant, rounds }, n) => {
    const times = [ms(rounds.map(({ p50 }) => p50)), ms(rounds.map(({ p99 }) => p99))]
    return [`${variant} authentication`, String(Math.round(rates[n]!)), ...times]
  })
  const [without = NaN, withKeys = NaN] = rates
  const ratio = ['ratio', (withKeys / without).toFixed(2), '', '']
  console.log(markdown([['variant', 'requests/s', 'p50', 'p99'], ...rows, ratio]))
  return 0
})

/** Each connection sends its next request when the former one is answered. Returns the times of all requests. */
async function shoot(port: number, key: string, seconds: number): Promise<Times> {
  const bytes = Buffer.from(
    `GET /api-v1-webhooks HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`,
  )
  const milliseconds: number[] = []
  const endMs = performance.now() + seconds * 1000
  const run = async () => {
    const { send, close } = keepConnection(port)
    while (performance.now() < endMs) {
      const startedMs = performance.now()
      const { status } = await send(bytes)
      if (status !== 200) throw new Error(`a request was answered with ${status}`)
      milliseconds.push(performance.now() - startedMs)
    }
    close()
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, run))
  return summarise(milliseconds)
}
