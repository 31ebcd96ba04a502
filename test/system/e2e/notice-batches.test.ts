import { createServer, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { newWebhookSecret } from '../../../src/domain/webhook/signing.ts'
import { listenOnLoopback } from '../../support/loopback.ts'
import { readMetric, linesWith } from '../../support/running-parts.ts'
import { until, untilAtLeast } from '../../support/poll.ts'
import { type Json, createContact, createTestWebhook } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'

type Received = { headers: IncomingHttpHeaders; body: string; isOver: () => boolean }

describe('notices to the operator, from real processes', function () {
  this.timeout(90_000)
  const secret = newWebhookSecret()
  const received: Received[] = []
  // This channel never answers.
  const server = createServer((request) => {
    const { headers, socket } = request
    void text(request).then((body) => received.push({ headers, body, isOver: () => socket.destroyed }))
  })
  let url: string
  before(async () => void (url = `${(await listenOnLoopback(server)).url}/notices`))
  const common = { NOTICE_SECRET: secret, RECONCILE_AFTER: '1s', WEBHOOK_RETRY_SCHEDULE: '1h' }
  const use = useStack(() => ({ environment: { ...common, NOTICE_URL: url } }))
  after(() => server.close().closeAllConnections())

  /** A webhook that the service deactivates because its endpoint answers 410. */
  async function makeGone(): Promise<{ webhookId: string; companyId: string }> {
    const tenant = await use.stack.tenant()
    const webhook = await createTestWebhook(use.stack, tenant)
    webhook.behave({ status: 410 })
    await createContact(tenant)
    await until(webhook.get, ({ deactivated_reason: reason }) => reason === 'gone')
    const list = async (): Promise<Json[]> => (await tenant.request('GET', '/api-v1-notices')).body.data
    expect(await list()).to.have.length(1)
    return { webhookId: webhook.id, companyId: tenant.tenant.companyId }
  }

  // decision: Batches of notices
  it('arrive signed, and delay nothing else while the address hangs: others are made, and the worker stops in time', async () => {
    const { webhookId, companyId } = await makeGone()
    await untilAtLeast(() => received.length, 1, { withinMs: 30_000, what: 'a request to NOTICE_URL' })
    const [{ headers, body, isOver }] = received as [Received]
    const { data } = new Webhook(secret).verify(body, headers as Record<string, string>) as Json
    expect(data).to.have.length(1)
    expect(data[0]).to.include({ kind: 'webhook_gone', webhook_id: webhookId, company_id: companyId })

    const worker = use.stack.workers[0]!
    const made = () => linesWith(worker, '"msg":"notice made"')
    const later = await makeGone()
    await until(made, (lines) => lines.some((line) => line.includes(later.webhookId)))
    expect(isOver(), 'the request that hangs').to.equal(false)
    expect(made()).to.have.length(2)
    expect(await readMetric(worker, 'notices_total', { kind: 'webhook_gone' })).to.equal(2)
    expect(await worker.stop()).to.equal(0)
    expect(worker.output()).to.not.include('SHUTDOWN_GRACE is over')
  })
})
