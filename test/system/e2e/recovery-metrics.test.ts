import { expect } from 'chai'
import { readMetric } from '../../support/metrics.ts'
import { until, untilIs } from '../../support/poll.ts'
import type { Json } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'
import { createContact, createTestWebhook, type TestWebhook } from '../../support/webhooks.ts'

const BODY = { since: '2020-01-01T00:00:00Z' }

describe('the metrics of recoveries', function () {
  this.timeout(60_000)
  const use = useStack()
  const path = ({ id }: TestWebhook) => `/api-v1-webhooks/${id}`

  async function recover(webhook: TestWebhook): Promise<string> {
    const answer = await use.tenant.request('POST', `${path(webhook)}/recover`, BODY)
    expect(answer.status).to.equal(202)
    return answer.body.data.id
  }

  /** A webhook with one delivery that failed, and whose endpoint answers again. */
  async function failedOnce(): Promise<TestWebhook> {
    const webhook = await createTestWebhook(use.stack, use.tenant, { max_retries: 0 })
    use.stack.receiver.behave(webhook.path, { failTimes: 1 })
    await createContact(use.tenant)
    await webhook.delivery('failed')
    return webhook
  }

  it('count what was queued, and what ended, in the process that did it', async () => {
    const [worker] = use.stack.workers
    const ended = (outcome: string, reason: string) => ({ outcome, reason })
    const endedIn = (of: Parameters<typeof readMetric>[0], labels: Record<string, string>) =>
      readMetric(of, 'webhook_recoveries_ended_total', labels)
    const recovered = (recovers: string) =>
      readMetric(worker!, 'webhook_recovered_deliveries_total', { recovers })
    // Other files use the same processes.
    const [failedBefore, missedBefore] = [await recovered('failed'), await recovered('missed')]
    const doneBefore = await endedIn(worker!, ended('done', 'none'))
    const done = await failedOnce()
    const id = await recover(done)
    await until(
      async () => (await use.tenant.request('GET', `${path(done)}/recoveries/${id}`)).body.data,
      ({ status }: Json) => status === 'done',
      { withinMs: 30_000, what: 'the end of the recovery' },
    )
    expect(await recovered('failed')).to.equal(failedBefore + 1)
    expect(await recovered('missed')).to.equal(missedBefore)
    // The worker counts just after its commit.
    await untilIs(() => endedIn(worker!, ended('done', 'none')), doneBefore + 1)
    const cancelledBefore = {
      api: await endedIn(use.stack.api, ended('cancelled', 'requested')),
      worker: await endedIn(worker!, ended('cancelled', 'requested')),
    }
    const cancelled = await createTestWebhook(use.stack, use.tenant, { is_active: false })
    const url = `${path(cancelled)}/recoveries/${await recover(cancelled)}`
    const cancel = async () => (await use.tenant.request('DELETE', url)).status
    expect([await cancel(), await cancel()]).to.deep.equal([200, 200])
    expect(await endedIn(use.stack.api, ended('cancelled', 'requested'))).to.equal(cancelledBefore.api + 1)
    expect(await endedIn(worker!, ended('cancelled', 'requested'))).to.equal(cancelledBefore.worker)
  })
})
