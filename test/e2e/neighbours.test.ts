import { expect } from 'chai'
import { useStack } from '../support/use-stack.js'
import { createTestWebhook } from '../support/webhooks.js'

const CAP = 3
const BACKLOG = 100
const NEIGHBOURS = 5

describe('the neighbours of a hung endpoint', function () {
  this.timeout(60_000)
  // Longer than the test: what hangs, hangs from its start to its end.
  const use = useStack({ environment: { WEBHOOK_TIMEOUT: '30s', WEBHOOK_CONCURRENCY: String(CAP) } })

  const publish = (event: string, count: number) =>
    use.tenant.request('POST', '/api-v1-events', {
      events: Array.from({ length: count }, () => ({ event, data: {} })),
    })

  it('are all delivered while it hangs with no more requests than its share', async () => {
    const { receiver } = use.stack
    const hung = await createTestWebhook(use.stack, use.tenant, { events: ['deal.created'] })
    receiver.behave(hung.path, { hang: true })
    await publish('deal.created', BACKLOG)
    await receiver.waitFor(hung.path, CAP)

    const neighbours = await Promise.all(
      Array.from({ length: NEIGHBOURS }, () => createTestWebhook(use.stack, use.tenant)),
    )
    await publish('contact.created', 10)
    for (const { path } of neighbours) await receiver.waitFor(path, 10, { timeoutMs: 20_000 })

    expect(receiver.requestsTo(hung.path)).to.have.length(CAP)
    expect((await hung.get()).total_deliveries).to.equal(BACKLOG)
    // Nobody waits for what still hangs.
    await Promise.all(use.stack.workers.map((worker) => worker.stop('SIGKILL')))
  })
})
