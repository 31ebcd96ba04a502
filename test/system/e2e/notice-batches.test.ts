import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { newWebhookSecret } from '../../../src/domain/webhook/signing.ts'
import { readMetric } from '../../support/metrics.ts'
import { until } from '../../support/poll.ts'
import { startStack, type Stack } from '../../support/stack.ts'
import type { Json } from '../../support/tenants.ts'
import { createContact, createTestWebhook } from '../../support/webhooks.ts'

type Received = { readonly headers: IncomingHttpHeaders; readonly body: string }

describe('notices to the operator, from real processes', function () {
  this.timeout(90_000)
  const secret = newWebhookSecret()
  const received: Received[] = []
  let status: number | undefined = 500
  let server: Server
  let stack: Stack
  before(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
        if (status !== undefined) response.writeHead(status).end()
      })
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const environment = {
      NOTICE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/notices`,
      NOTICE_SECRET: secret,
      RECONCILE_AFTER: '1s',
      WEBHOOK_RETRY_SCHEDULE: '1h',
    }
    stack = await startStack({ environment })
  })
  after(async () => {
    await stack.stop()
    server.closeAllConnections()
    server.close()
  })

  /** A webhook that the service deactivates because its endpoint is gone. */
  async function makeGone(): Promise<{ webhookId: string; companyId: string }> {
    const tenant = await stack.tenant()
    const webhook = await createTestWebhook(stack, tenant)
    stack.receiver.behave(webhook.path, { status: 410 })
    await createContact(tenant)
    await until(webhook.get, ({ deactivated_reason: reason }) => reason === 'gone')
    const list = async (): Promise<Json[]> => (await tenant.request('GET', '/api-v1-notices')).body.data
    expect(await list()).to.have.length(1)
    return { webhookId: webhook.id, companyId: tenant.tenant.companyId }
  }
  const arrived = (count: number) =>
    until(
      () => received.length,
      (length) => length >= count,
      { withinMs: 30_000, what: `request ${count} to NOTICE_URL` },
    )
  const verified = ({ headers, body }: Received): Json =>
    new Webhook(secret).verify(body, headers as Record<string, string>)

  // decision: Batches of notices
  it('come again with the same id and bytes until they are answered with 2xx, then the next ones', async () => {
    const first = await makeGone()
    await arrived(2)
    const { data } = verified(received[0]!)
    expect(data).to.have.length(1)
    expect(data[0]).to.include({
      kind: 'webhook_gone',
      webhook_id: first.webhookId,
      company_id: first.companyId,
    })
    for (const { headers, body } of received) {
      expect([headers['webhook-id'], body]).to.deep.equal([
        received[0]!.headers['webhook-id'],
        received[0]!.body,
      ])
    }
    status = 200
    const second = await makeGone()
    await until(
      () => received.map((one) => verified(one).data[0].webhook_id as string),
      (ids) => ids.includes(second.webhookId),
      { withinMs: 30_000 },
    )
    const [worker] = stack.workers
    expect(await readMetric(worker!, 'notice_batches_total', { result: 'failed' })).to.be.at.least(2)
    expect(await readMetric(worker!, 'notices_total', { kind: 'webhook_gone' })).to.equal(2)
    const lines = worker!.output().split('\n')
    expect(lines.filter((line) => line.includes('"msg":"notice made"'))).to.have.length(2)
  })

  // decision: Batches of notices
  it('delay nothing else while the address hangs: other notices are made, and the worker stops in time', async () => {
    status = undefined
    const before = received.length
    await makeGone()
    await arrived(before + 1)
    const { webhookId } = await makeGone()
    const told = () =>
      stack.workers[0]!.output()
        .split('\n')
        .some((line) => line.includes(webhookId) && line.includes('notice made'))
    await until(told, (isTold) => isTold, { withinMs: 8_000, what: 'the next notice' })
    const [worker] = stack.workers
    expect(await worker!.stop()).to.equal(0)
    expect(worker!.output()).to.not.include('SHUTDOWN_GRACE is over')
  })
})
