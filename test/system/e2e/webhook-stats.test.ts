import { expect } from 'chai'
import { until } from '../../support/poll.ts'
import type { Json } from '../../support/tenants.ts'
import { usePart } from '../../support/use-part.ts'
import { useStack } from '../../support/use-stack.ts'
import { createContact, createTestWebhook, type TestWebhook } from '../../support/webhooks.ts'

/** A retry does not come during a test. */
const LATE = { retry_schedule: [3_600] }

const pathOf = ({ id }: TestWebhook) => `/api-v1-webhooks/${id}/stats`

describe('statistics and health of a webhook over HTTP', () => {
  const use = useStack()

  // decision: Health of a webhook
  it('shows a failing endpoint with its first failure and its latest error, and one that succeeds again as healthy', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, LATE)
    const health = async () => (await webhook.get()).health
    expect(await health()).to.include({ state: 'healthy', last_success_at: null, waiting: 0 })
    use.stack.receiver.behave(webhook.path, { status: 500 })
    await createContact(use.tenant)
    await webhook.delivery('retrying')
    const failing = await health()
    expect(failing).to.include({ state: 'failing', consecutive_failures: 1, last_error: 'http_500' })
    expect(failing).to.include({ waiting: 1 })
    expect(failing).to.include({ last_success_at: null })
    use.stack.receiver.behave(webhook.path, { status: 503 })
    await createContact(use.tenant)
    const again = await until(health, ({ consecutive_failures: count }) => count === 2)
    expect(again).to.include({ failing_since: failing.failing_since, last_error: 'http_503', waiting: 2 })
    use.stack.receiver.behave(webhook.path, {})
    await createContact(use.tenant)
    const well = await until(health, ({ state }) => state === 'healthy')
    expect(well).to.include({ failing_since: null, last_error: null, consecutive_failures: 0, waiting: 2 })
    expect(well.last_success_at > failing.failing_since, well.last_success_at).to.equal(true)
    const listed = await use.tenant.request('GET', '/api-v1-webhooks')
    const patched = await use.tenant.request('PATCH', `/api-v1-webhooks/${webhook.id}`, { is_active: false })
    expect(listed.body.data[0].health).to.deep.equal(well)
    expect(patched.body.data.health).to.deep.equal({ ...well, state: 'disabled' })
  })
})

describe('the statistics that a worker keeps', () => {
  const use = useStack({ workers: 0 })
  const worker = usePart(() => use.stack.startWorker())
  const statsOf = async (webhook: TestWebhook, query = ''): Promise<Json> =>
    (await use.tenant.request('GET', `${pathOf(webhook)}${query}`)).body.data

  // decision: Statistics of attempts
  it('count every attempt once its worker has written it, at the latest when the worker stops', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, LATE)
    use.stack.receiver.behave(webhook.path, { failTimes: 1 })
    await createContact(use.tenant)
    await webhook.delivery('retrying')
    await createContact(use.tenant)
    await until(webhook.get, ({ successful_deliveries: sent }) => sent === 1)
    expect(await worker().stop()).to.equal(0)
    const stats = await statsOf(webhook)
    expect(stats.totals).to.deep.include({ attempts: 2, successes: 1, failures: 1, by_error: {} })
    expect(stats.series).to.have.length(24)
    expect((await statsOf(webhook, '?window=30d')).series).to.have.length(30)
  })
})
