import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { until } from '../../support/poll.ts'
import type { Json } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'
import { createContact, createTestWebhook } from '../../support/webhooks.ts'

describe('sending a delivery again', () => {
  const use = useStack()
  const resend = (webhookId: string, id: string, headers = {}) =>
    use.tenant.request('POST', `/api-v1-webhooks/${webhookId}/deliveries/${id}/resend`, undefined, headers)

  // decision: Resend
  it('sends the same bytes with the same webhook-id once more, and shows resend_of', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant)
    await createContact(use.tenant)
    const original = await webhook.delivery('success')
    const { status, body } = await resend(webhook.id, original.id as string)
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

  it('is made once for an Idempotency-Key', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant)
    await createContact(use.tenant)
    const { id } = await webhook.delivery('success')
    const headers = { 'Idempotency-Key': randomUUID() }
    const answers = [
      await resend(webhook.id, id as string, headers),
      await resend(webhook.id, id as string, headers),
    ]
    expect(answers[1]!.body).to.deep.equal(answers[0]!.body)
    expect((await webhook.get()).total_deliveries).to.equal(2)
  })

  it('waits while the webhook is inactive, and goes out when it is active again', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant)
    await createContact(use.tenant)
    const { id } = await webhook.delivery('success')
    await use.tenant.request('PATCH', `/api-v1-webhooks/${webhook.id}`, { is_active: false })
    const { data } = (await resend(webhook.id, id as string)).body
    expect(data).to.include({ status: 'pending', held_reason: 'webhook_inactive' })
    await use.tenant.request('PATCH', `/api-v1-webhooks/${webhook.id}`, { is_active: true })
    await until(
      () => webhook.detail(data.id as string),
      (delivery: Json) => delivery.status === 'success',
    )
  })
})
