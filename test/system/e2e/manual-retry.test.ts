// Also on MySQL with direct attempts: it matters who makes the first attempt.
import { expect } from 'chai'
import { workflowOf } from '../../support/crashes.ts'
import { useHeldDeliveries } from '../../support/held-endpoint.ts'
import { useStack } from '../../support/use-stack.ts'
import { deliver, type TestWebhook } from '../../support/webhooks.ts'

describe('manual retry', () => {
  const use = useStack()
  const deliverHeld = useHeldDeliveries(use)

  const triggersOf = async (webhook: TestWebhook, deliveryId: string): Promise<string[]> =>
    (await webhook.detail(deliveryId)).attempt_log.map(({ trigger }: { trigger: string }) => trigger)

  it('queues a failed delivery again and says so', async () => {
    const { webhook, id } = await deliver(use, 'failed', { max_retries: 0 }, { failTimes: 1 })
    const answer = await webhook.retry(id)
    expect(answer.status).to.equal(200)
    expect(answer.body).to.deep.equal({ data: { success: true, message: 'Delivery queued for retry' } })
    expect(await webhook.delivery('success')).to.include({ attempts: 2, max_attempts: 2 })
    expect(await triggersOf(webhook, id)).to.deep.equal(['scheduled', 'manual'])
    const shown = await webhook.get()
    expect(shown).to.include({ total_deliveries: 1, successful_deliveries: 1, failed_deliveries: 0 })
  })

  // decision: A retry during the last attempt
  it('is never lost around the moment at which the last attempt closes the delivery', async () => {
    for (let round = 0; round < 8; round++) {
      const { endpoint, webhook, id } = await deliverHeld({ max_retries: 0 })
      // Answer and retry are on their way at once, and each of them leaves first in every other round.
      const retried = round % 2 === 0 ? webhook.retry(id) : undefined
      endpoint.answer(1, 500)
      endpoint.answerAll(200)
      expect((await (retried ?? webhook.retry(id))).status).to.equal(200)
      expect(await webhook.delivery('success')).to.include({ attempts: 2 })
      await webhook.remove()
    }
  })

  // decision: Workflow of a closed delivery
  it('brings out a delivery whose workflow somebody terminated', async () => {
    const { webhook, id } = await deliver(use, 'retrying', { retry_schedule: [600] }, { failTimes: 1 })
    await workflowOf(use.stack, id)
    await use.stack.temporal.workflow.getHandle(id).terminate('by hand')
    await webhook.retry(id)
    expect(await webhook.delivery('success')).to.include({ attempts: 2 })
  })
})
