import { expect } from 'chai'
import { startConnectProxy, type ConnectProxy } from '../../support/connect-proxy.ts'
import { createContact, createTestWebhook } from '../../support/tenants.ts'
import { until } from '../../support/poll.ts'
import { readMetric, untilReadinessIs } from '../../support/running-parts.ts'
import { head } from '../../support/raw-endpoint.ts'
import { useStack } from '../../support/use-stack.ts'

// decision: An egress proxy
describe('a worker with EGRESS_PROXY', () => {
  let proxy: ConnectProxy
  before(async () => {
    proxy = await startConnectProxy()
  })
  const use = useStack(() => ({
    environment: { EGRESS_PROXY: proxy.url.replace('//', '//me:hunter2@') },
    mayLogErrors: true,
  }))
  after(() => proxy.close())

  it('delivers through it, spends no attempt while it does not let the worker in, and goes on by itself', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant)
    const [worker] = use.stack.workers
    proxy.serve = (socket) => socket.end(head(407, 'Proxy-Authenticate: Basic realm="x"'))
    await createContact(use.tenant)
    await until(() => readMetric(worker!, 'webhook_worker_faults_total', { reason: 'proxy' }), Boolean)
    expect((await untilReadinessIs(worker!, 503)).parts).to.include({ egress: false, resolver: true })
    proxy.serve = proxy.tunnel
    await untilReadinessIs(worker!, 200)
    const delivered = await until(webhook.deliveries, ([first]) => first?.['status'] === 'success')
    expect(delivered[0]).to.include({ attempts: 1 })
    const { port } = new URL(use.stack.receiver.url(webhook.path))
    expect(new Set(proxy.heads.map((text) => text.split(' ')[1]))).to.include(`127.0.0.1:${port}`)
    expect(worker!.output()).to.include('the egress proxy cannot be reached').and.not.include('hunter2')
  })
})
