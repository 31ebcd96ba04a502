import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { build } from '../scripts/build.mjs'
import { apiClient } from '../scripts/demo/http.mjs'
import { waitUntil } from '../scripts/lib/ready.ts'
import { runSupervised } from '../scripts/lib/supervisor.ts'
import { createReceiver } from '../scripts/receiver/receiver.ts'
import { createKey } from '../scripts/stack/company.ts'
import { makeDirectory, startStack, type Stack } from '../scripts/stack/stack.ts'
import { readConfig } from '../src/config/index.ts'
import { createLog } from '../src/deps/log.ts'
import { createMetrics } from '../src/deps/metrics.ts'
import { startTraces } from '../src/deps/open-telemetry.ts'
import { subscribe } from './support/deliveries.ts'
import { cpuPerThousand, median, readCpu } from './support/figures.ts'

/*
 * What traces cost: processor time of api and worker for 1,000 events with a direct delivery each, without traces, with one trace
 * in a hundred and with all, in turns (`npm run bench:traces -- 500 3` for fewer events and rounds). The collector is this process.
 * At its end it makes spans alone, in this process.
 */

const EVENTS = Number(process.argv[2] ?? 2_000)
const ROUNDS = Number(process.argv[3] ?? 5)
const WARM_UP = 300
const AT_ONCE = 16
const WAIT_MS = 60_000
const SPANS = 10_000
const SPAN_ROUNDS = 5

await runSupervised(async (supervisor) => {
  await build()
  const dir = await makeDirectory(supervisor, 'bench-traces')
  const stack = await startStack(supervisor, { dir, settings: { DELIVERY_FIRST_ATTEMPT: 'direct' } })
  const { key } = await createKey(stack.env, 'admin:all')
  const collector = createServer((request, response) => void request.resume().on('end', () => response.end()))
  await once(collector.listen(0, '127.0.0.1'), 'listening')
  const OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
  const sampled = (share: string) => ({
    OTEL_EXPORTER_OTLP_ENDPOINT,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: share,
  })
  const cases = { off: {}, '1 of 100': sampled('0.01'), all: sampled('1') }
  const figures = new Map(Object.keys(cases).map((name) => [name, [] as Costs[]]))
  const measure = await createMeasure(stack, key)
  for (let round = 1; round <= ROUNDS; round++) {
    const inOrder = Object.entries(cases)
    // Whoever comes first in a round costs most.
    for (const [name, settings] of round % 2 === 1 ? inOrder : inOrder.toReversed()) {
      const costs = await measure(settings)
      figures.get(name)?.push(costs)
      console.log(
        `${round}  ${name.padEnd(10)} api ${costs.api.toFixed(2)}  worker ${costs.worker.toFixed(2)}`,
      )
    }
  }
  console.log('\nmedians of seconds of processor time for 1,000 events')
  for (const [name, all] of figures) {
    const [api, worker] = (['api', 'worker'] as const).map((part) => median(all.map((costs) => costs[part])))
    console.log(`${name.padEnd(13)} api ${api?.toFixed(2)}  worker ${worker?.toFixed(2)}`)
  }
  console.log(
    `\na span alone: ${(await spanAlone(stack, sampled('1'))).toFixed(1)} µs, with its way to the collector`,
  )
  collector.close()
  collector.closeAllConnections()
  return 0
})

/** Microseconds of processor time for a span with the attributes of an attempt, until the collector has read it. */
async function spanAlone({ env }: Stack, settings: NodeJS.ProcessEnv): Promise<number> {
  const { tracing } = readConfig({ ...env, ...settings, OTEL_BSP_MAX_QUEUE_SIZE: '15000' })
  if (!tracing) throw new Error('traces are off')
  const [log, metrics] = [createLog('bench', 'warn'), createMetrics()]
  const facts = Object.fromEntries(
    Array.from({ length: 8 }, (_, n) => [`sales_data.fact_${n}`, `whk_${'0'.repeat(36)}`]),
  )
  const costs: number[] = []
  for (let round = 0; round < SPAN_ROUNDS; round++) {
    const traces = startTraces(tracing, { service: 'worker', instanceId: 'bench' }, { log, metrics })
    const before = process.cpuUsage()
    for (let made = 0; made < SPANS; made++) traces.start('attempt', { kind: 'consumer', facts }).end()
    await traces.stop(WAIT_MS)
    const { user, system } = process.cpuUsage(before)
    costs.push((user + system) / SPANS)
  }
  return median(costs)
}

type Costs = { readonly api: number; readonly worker: number }

/** Gives what starts an api and a worker with these settings, has them deliver events, and ends them. */
async function createMeasure({ start, tls }: Stack, key: string) {
  let [published, arrived, isSubscribed] = [0, 0, false]
  const receiver = await createReceiver({
    cert: tls.cert,
    key: tls.key,
    isKept: false,
    onRequest: () => void (arrived += 1),
  })
  return async (settings: NodeJS.ProcessEnv): Promise<Costs> => {
    const [api, worker] = [await start('server', settings), await start('worker', settings)]
    const request = apiClient(api.url, key)
    if (!isSubscribed) await subscribe(request, receiver, { type: 'contact.created', path: '/traced' })
    isSubscribed = true
    const deliver = async (count: number) => {
      published += count
      let left = count
      const publish = async () => {
        while (left-- > 0) await request('POST', '/api-v1-events', { event: 'contact.created', data: {} })
      }
      await Promise.all(Array.from({ length: AT_ONCE }, publish))
      await waitUntil('The deliveries', () => Promise.resolve(arrived >= published), { timeoutMs: WAIT_MS })
    }
    await deliver(WARM_UP)
    const pids = new Map([
      ['api', api.pid],
      ['worker', worker.pid],
    ])
    const before = await readCpu(pids)
    await deliver(EVENTS)
    const costs = cpuPerThousand(before, await readCpu(pids), EVENTS)
    await Promise.all([api.stop(), worker.stop()])
    return { api: costs['api'] ?? NaN, worker: costs['worker'] ?? NaN }
  }
}
