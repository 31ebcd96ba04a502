import { expect } from 'chai'
import { insertOpenDeliveries } from '../support/many-rows.ts'
import { until } from '../support/poll.ts'
import { type TestTenant, createTestWebhook } from '../support/tenants.ts'
import { useStack } from '../support/use-stack.ts'

const WEBHOOKS = 20
const DELIVERIES = 1_000
const GRACE_MS = 10_000

describe('many webhooks that are deleted with open deliveries', function () {
  this.timeout(120_000)
  const use = useStack({ environment: { SHUTDOWN_GRACE: `${GRACE_MS}ms` } })

  const countOpen = () => use.stack.count('deliveries', { status: 'retrying' })

  async function deleteMany(tenant: TestTenant): Promise<void> {
    const making = Array.from({ length: WEBHOOKS }, () => createTestWebhook(use.stack, tenant))
    const webhooks = await Promise.all(making)
    for (const { id } of webhooks)
      await insertOpenDeliveries(use.stack.db, DELIVERIES, { tenant: tenant.tenant, webhookId: id })
    await Promise.all(webhooks.map(({ id }) => tenant.request('DELETE', `/api-v1-webhooks/${id}`)))
  }

  // decision: Deleting or activating a webhook
  it('do not delay the deliveries of a neighbour, and a worker that is told to stop ends between pages', async function () {
    const { stack, tenant } = use
    const neighbour = await stack.tenant()
    const healthy = await createTestWebhook(stack, neighbour, { events: ['deal.created'] })
    await deleteMany(tenant)
    const all = WEBHOOKS * DELIVERIES
    await until(countOpen, (open) => open < all, { what: 'a first page' })

    const publishedMs = Date.now()
    await neighbour.request('POST', '/api-v1-events', { event: 'deal.created', data: {} })
    const { id } = await healthy.delivery('success')
    const servedMs = Date.now() - publishedMs
    const [{ closed_at: servedAt }] = await stack.db('deliveries').where({ id })
    const earlier = stack.db('deliveries').where({ company_id: tenant.tenant.companyId, status: 'failed' })
    const closed: string[] = await earlier.where('closed_at', '<', servedAt).pluck('id')
    expect(closed, 'closed when the neighbour was served').to.have.length.below(all / 2)

    const [worker] = stack.workers
    const startedMs = Date.now()
    expect(await worker!.stop()).to.equal(0)
    const stoppedMs = Date.now() - startedMs
    this.runnable().title += ` (served in ${servedMs} ms, stopped in ${stoppedMs} ms)`
    expect(stoppedMs).to.be.below(GRACE_MS)
    const left = await countOpen()
    expect(left).to.be.within(1, all)

    await stack.startWorker()
    await until(countOpen, (open) => open < left - 200, { what: 'further pages by another worker' })
    const commands = await stack.db('outbox').where({ kind: 'cancel-webhook' })
    expect(commands).to.have.length(WEBHOOKS)
  })
})
