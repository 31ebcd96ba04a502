import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { DIRECT } from '../../support/first-attempts.ts'
import { startCollector, type SentSpan } from '../../support/collector.ts'
import { linesWith } from '../../support/running-parts.ts'
import { until } from '../../support/poll.ts'
import { usePart, useStack } from '../../support/use-stack.ts'
import { createTestWebhook } from '../../support/tenants.ts'

/** A span of the caller's trace. Its flag says not sampled, but only our own sampler decides. */
function callersTrace() {
  const traceId = randomBytes(16).toString('hex')
  const spanId = randomBytes(8).toString('hex')
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-00` }
}

const SECRET_PATH = '/hooks/T0K3N-of-the-path'
const ASKS = { send_traceparent: true, retry_schedule: [1] }

const WAYS = {
  // The second api runs the build, which must include the modules that load on demand.
  workflow: { settings: {}, processes: false },
  direct: { settings: DIRECT, processes: true },
}

for (const [way, { settings, processes }] of Object.entries(WAYS))
  describe(`a trace where first attempts are ${way}`, function () {
    this.timeout(60_000)
    const collector = usePart(startCollector)
    const use = useStack(() => ({
      processes,
      environment: {
        ...settings,
        DELIVERY_FIRST_ATTEMPT: way,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector().url,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-token=T0K3N%20of%20the%20collector',
        OTEL_BSP_SCHEDULE_DELAY: '50',
      },
    }))

    // decision: Traces
    // decision: What spans never have
    // decision: Traces and Temporal
    it('goes from the call of its caller to the record of each attempt, and on to the endpoint that asks for it', async () => {
      const { traceId, spanId, traceparent } = callersTrace()
      const url = use.stack.receiver.url(`${SECRET_PATH}-${way}?token=T0K3N-of-the-query`)
      const headers = { 'X-Token': 'T0K3N-of-a-header', Traceparent: 'T0K3N-of-the-webhook' }
      const webhook = await createTestWebhook(use.stack, use.tenant, { ...ASKS, url, headers })
      webhook.behave({ failTimes: 1, status: 503 })
      const silent = await createTestWebhook(use.stack, use.tenant)
      const event = { event: 'contact.created', data: { name: 'T0K3N-of-the-data' } }
      const sent = { traceparent, 'x-request-id': 'T0K3N-of-the-caller' }
      expect((await use.tenant.request('POST', '/api-v1-events', event, sent)).status).to.equal(201)
      await webhook.delivery('success')
      await silent.delivery('success')

      const ofTrace = () => collector().spans.filter((span) => span.traceId === traceId)
      const spans = await until(ofTrace, (all) => all.filter(({ name }) => name === 'record').length === 3)
      const only = (name: string) => {
        const found = spans.filter((span) => span.name === name)
        expect(found, name).to.have.length(1)
        return found[0]!
      }
      const below = ({ spanId: id }: SentSpan, name: string) =>
        spans.filter((span) => span.parentId === id && span.name === name)

      const call = only('POST /api-v1-events')
      expect(call).to.include({ kind: 2, parentId: spanId, isFailed: false })
      expect(call.service).to.equal('sales-data-webhooks-api')
      const asked = { 'http.request.method': 'POST', 'http.route': '/api-v1-events' }
      const whose = { 'sales_data.company_id': use.tenant.tenant.companyId }
      expect(call.attributes).to.include({ ...asked, ...whose, 'http.response.status_code': 201 })
      const publish = only('publish')
      expect(publish).to.include({ kind: 4, parentId: call.spanId })
      if (way === 'workflow') expect(below(publish, 'relay start')).to.have.length(2)
      const attempts = below(publish, 'attempt').filter(
        ({ attributes }) => attributes['sales_data.webhook_id'] === webhook.id,
      )
      expect(attempts.map(({ attributes }) => attributes['sales_data.attempt'])).to.have.members([1, 2])
      const requests = attempts.map((attempt) => {
        expect(attempt).to.include({ service: 'sales-data-webhooks-worker', kind: 5 })
        expect(below(attempt, 'record')).to.have.length(1)
        return below(attempt, 'POST')[0]!
      })
      const address = { 'server.address': '127.0.0.1', 'url.full': `${new URL(url).origin}/REDACTED` }
      for (const request of requests) expect(request.attributes).to.include(address)
      expect(
        requests.map(({ kind, isFailed, attributes: of }) => [
          kind,
          isFailed,
          of['http.response.status_code'],
          of['error.type'],
          of['http.request.resend_count'],
        ]),
      ).to.deep.equal([
        [3, true, 503, '503', undefined],
        [3, false, 200, undefined, 1],
      ])
      const sentOn = requests.map((request) => `00-${traceId}-${request.spanId}-01`)
      expect(webhook.requests().map(({ headers: got }) => got['traceparent'])).to.deep.equal(sentOn)
      expect(silent.requests().map(({ headers: got }) => got['traceparent'])).to.deep.equal([undefined])

      const lines = [use.stack.api, ...use.stack.workers].flatMap((part) => linesWith(part, traceId))
      const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg)
      expect(messages).to.have.members(['request', 'attempt failed'])
      expect(JSON.stringify(collector().spans)).to.not.include('T0K3N')
      expect(collector().requests[0]!.headers['x-collector-token']).to.equal('T0K3N of the collector')
      if (way === 'workflow') {
        const [{ id }] = await webhook.deliveries()
        expect(JSON.stringify(await use.stack.eventsOf(id))).to.not.include(traceId)
      }
    })

    it('begins with a call without one, and none begins with the call of a stranger', async () => {
      await use.tenant.request('POST', '/api-v1-contacts', { name: 'Ada' })
      const { traceparent, traceId } = callersTrace()
      const headers = { authorization: 'Bearer nonsense', traceparent }
      expect((await fetch(`${use.stack.api.url}/api-v1-contacts`, { headers })).status).to.equal(401)
      await use.tenant.request('GET', '/api-v1-webhooks')
      const named = (name: string) => () => collector().spans.filter((span) => span.name === name)
      const [first] = await until(named('POST /api-v1-contacts'), (all) => all.length > 0)
      expect(first).to.include({ parentId: '' })
      await until(named('GET /api-v1-webhooks'), (all) => all.length > 0)
      expect(collector().spans.filter((span) => span.traceId === traceId)).to.deep.equal([])
    })
  })

describe('without a collector', () => {
  const use = useStack()

  // decision: The traceparent of a caller
  it('the traceparent of a caller goes on to the endpoints that ask for it, and nothing else does', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, ASKS)
    const { traceparent } = callersTrace()
    const given = [traceparent, 'nonsense', `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`, undefined]
    for (const value of given) {
      const event = { event: 'contact.created', data: {} }
      await use.tenant.request('POST', '/api-v1-events', event, value ? { traceparent: value } : {})
    }
    await webhook.delivered(4)
    const received = webhook.requests().map(({ headers }) => headers['traceparent'])
    expect(received.filter((value) => value !== undefined)).to.deep.equal([traceparent])
    expect(await webhook.get()).to.include({ send_traceparent: true })
    await webhook.change({ send_traceparent: false })
    expect(await webhook.get()).to.not.have.property('send_traceparent')
  })
})
