import { expect } from 'chai'
import { until } from '../../support/poll.ts'
import { type Json, createContact, deliver, type TestWebhook } from '../../support/tenants.ts'
import { usePart, useStack } from '../../support/use-stack.ts'

describe('the statistics that a worker keeps', () => {
  const use = useStack({ workers: 0 })
  const worker = usePart(() => use.stack.startWorker())
  const statsOf = async ({ id }: TestWebhook, query = ''): Promise<Json> =>
    (await use.tenant.request('GET', `/api-v1-webhooks/${id}/stats${query}`)).body.data

  // decision: Statistics of attempts
  // decision: Health of a webhook
  it('count every attempt once its worker has written it, at the latest when the worker stops', async () => {
    // The retry is due after the test.
    const { webhook } = await deliver(use, 'retrying', { retry_schedule: [3_600] }, { failTimes: 1 })
    expect((await webhook.get()).health).to.include({ state: 'failing', last_error: 'http_500', waiting: 1 })
    await createContact(use.tenant)
    // The worker writes the health just after the attempt's record.
    const isWell = ({ successful_deliveries: sent, health }: Json) => sent === 1 && health.state === 'healthy'
    const { health } = await until(webhook.get, isWell)
    expect(health).to.include({ failing_since: null, last_error: null, waiting: 1 })
    expect(await worker().stop()).to.equal(0)
    const stats = await statsOf(webhook)
    expect(stats.totals).to.deep.include({ attempts: 2, successes: 1, failures: 1, by_error: {} })
    expect(stats.series).to.have.length(24)
    expect((await statsOf(webhook, '?window=30d')).series).to.have.length(30)
  })
})
