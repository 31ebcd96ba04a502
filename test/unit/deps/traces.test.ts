import { expect } from 'chai'
import { createLog } from '../../../src/deps/log.ts'
import { startTraces } from '../../../src/deps/open-telemetry.ts'
import { type Traces, withTraces } from '../../../src/deps/traces.ts'
import { startCollector } from '../../support/collector.ts'
import { depsWithoutDatabase } from '../../support/database.ts'
import { untilAtLeast } from '../../support/poll.ts'

const QUEUE = 100

function start(url: string, settings: Record<string, string> = {}) {
  const usual = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_MAX_QUEUE_SIZE: String(QUEUE) }
  const { config, metrics } = depsWithoutDatabase({ ...usual, ...settings })
  const lines: string[] = []
  const log = createLog('test', 'info', { write: (line) => void lines.push(line) })
  const traces = startTraces(config.tracing!, { service: 'api', instanceId: 'one' }, { log, metrics })
  const spans = async (fate: string): Promise<number> => {
    const { values } = await metrics.registry.getSingleMetric('trace_spans_total')!.get()
    return values.find(({ labels }) => labels['fate'] === fate)?.value ?? 0
  }
  return { traces, lines, spans }
}

function end(traces: Traces, count: number): void {
  for (let made = 0; made < count; made++) traces.start('work', { kind: 'internal' }).end()
}

describe('traces', () => {
  let collector: Awaited<ReturnType<typeof startCollector>>
  beforeEach(async () => void (collector = await startCollector()))
  afterEach(() => collector.stop())

  it('are absent without a collector: a process keeps the parts that it has', async () => {
    const deps = depsWithoutDatabase()
    expect(await withTraces(deps, 'api', 'one')).to.equal(deps)
  })

  it('of a process name the service, its release and the process, and what the operator adds', async () => {
    const resource = { OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=a%20b' }
    const { traces } = start(`${collector.url}/`, resource)
    end(traces, 1)
    await traces.stop(5_000)
    expect(collector.requests.map(({ method, url }) => [method, url])).to.deep.equal([['POST', '/v1/traces']])
    const process = { 'service.name': 'sales-data-webhooks-api', 'service.instance.id': 'one' }
    const told = { ...process, 'deployment.environment.name': 'a b' }
    expect(collector.spans[0]!.resource).to.include(told).and.have.property('service.version')
  })

  // decision: Who decides what is sampled
  it('are sampled as the operator says, and never as a caller does, whatever its trace is called', async () => {
    const ids = `${'0'.repeat(31)}1-${'1'.repeat(16)}`
    for (const share of ['0', '1']) {
      const sampler = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: share }
      const { traces, spans } = start(collector.url, sampler)
      const flags = `0${share}`
      for (const asked of ['00', '01']) {
        const place = traces.accept(`00-${ids}-${asked}`)
        expect(place).to.equal(`00-${ids}-${flags}`)
        const span = traces.start('work', { kind: 'server', parent: place })
        expect(span.traceparent).to.match(new RegExp(`^00-${ids.slice(0, 32)}-[0-9a-f]{16}-${flags}$`))
        span.end()
      }
      await traces.stop(5_000)
      expect(await spans('sent')).to.equal(2 * Number(share))
    }
  })

  it('hold nobody up and fill no memory while the collector is away, and the log says so once', async () => {
    collector.stop()
    const { traces, lines, spans } = start(collector.url)
    end(traces, 20 * QUEUE)
    expect(await spans('dropped')).to.equal(19 * QUEUE)
    const stoppedMs = performance.now()
    await traces.stop(100)
    expect(performance.now() - stoppedMs).to.be.below(3_000)
    expect(lines.filter((line) => line.includes('spans are dropped'))).to.have.length(1)
  })

  it('count as waiting until a slow collector has answered', async () => {
    const held: (() => void)[] = []
    collector.answerWith((_request, response) => void held.push(() => response.end()))
    const { traces, spans } = start(collector.url)
    end(traces, QUEUE)
    await untilAtLeast(() => collector.requests.length, 1)
    end(traces, 50)
    expect(await spans('dropped')).to.equal(50)
    collector.answerWith((_request, response) => void response.end())
    for (const answer of held) answer()
    await untilAtLeast(() => spans('sent'), QUEUE)
    end(traces, 1)
    await traces.stop(5_000)
    expect(await spans('sent')).to.equal(QUEUE + 1)
  })

  it('that a collector refuses are counted, with one line in a minute, and later ones are sent again', async () => {
    collector.answerWith((_request, response) => response.writeHead(400).end('T0K3N'))
    const { traces, lines, spans } = start(collector.url)
    for (const failed of [QUEUE, 2 * QUEUE]) {
      end(traces, QUEUE)
      await untilAtLeast(() => spans('failed'), failed)
    }
    collector.answerWith((_request, response) => void response.end())
    end(traces, 1)
    await traces.stop(5_000)
    expect(await spans('sent')).to.equal(1)
    const told = lines.filter((line) => line.includes('the collector is away or refuses them'))
    expect(told).to.have.length(1)
    expect(told[0]).to.include('Bad Request').and.not.include('T0K3N')
  })
})
