import { expect } from 'chai'
import { until } from '../../support/poll.ts'
import type { Json } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'
import { createContact, createTestWebhook } from '../../support/webhooks.ts'

describe('sending a delivery again', () => {
  const use = useStack()
  // decision: Resend
  it('sends the same bytes with the same webhook-id once more, and shows resend_of', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant)
    await createContact(use.tenant)
    const original = await webhook.delivery('success')
    const path = `/api-v1-webhooks/${webhook.id}/deliveries/${original.id as string}/resend`
    const { status, body } = await use.tenant.request('POST', path)
    expect(status).to.equal(202)
    expect(body.data).to.include({ status: 'pending', resend_of: original.id, event_id: original.event_id })
    const [first, second] = await until(
      () => Promise.resolve(use.stack.receiver.requestsTo(webhook.path)),
      (requests) => requests.length === 2,
    )
    expect(second!.headers['webhook-id']).to.equal(first!.headers['webhook-id'])
    expect(second!.body).to.deep.equal(first!.body)
    const shown = await until(
      () => webhook.detail(body.data.id as string),
      (delivery: Json) => delivery.status === 'success',
    )
    expect(shown).to.include({ resend_of: original.id, attempts: 1 })
    expect(await webhook.get()).to.include({ total_deliveries: 2, successful_deliveries: 2 })
    expect((await webhook.deliveries()).map(({ id }: Json) => id)).to.deep.equal([body.data.id, original.id])
  })
})
