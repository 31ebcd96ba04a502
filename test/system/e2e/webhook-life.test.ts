// Also on MySQL with direct attempts: it matters who makes the first attempt.
import { expect } from 'chai'
import { rowWith } from '../../support/crashes.ts'
import { startHeldEndpoint } from '../../support/held-endpoint.ts'
import { until, untilIs } from '../../support/poll.ts'
import { useEndpointsOn } from '../../support/stack-endpoints.ts'
import { useStack } from '../../support/use-stack.ts'
import { createContact, createTestWebhook } from '../../support/webhooks.ts'

describe('deleting, deactivating and re-keying a webhook while deliveries are open', () => {
  const use = useStack()
  const endpoints = useEndpointsOn(use)

  const statusOf = async (workflowId: string): Promise<string> =>
    (await use.stack.temporal.workflow.getHandle(workflowId).describe()).status.name
  const patch = (id: string, body: object) => use.tenant.request('PATCH', `/api-v1-webhooks/${id}`, body)
  const rowsOf = (webhookId: string) =>
    use.stack.db('deliveries').where({ webhook_id: webhookId }) as Promise<
      { id: string; status: string; closed_reason: string | null }[]
    >

  // decision: Deleted
  it('starts no attempt after the DELETE was answered, and lets the running one end', async () => {
    const endpoint = await startHeldEndpoint(endpoints)
    const webhook = await createTestWebhook(use.stack, use.tenant, {
      url: endpoint.url,
      retry_schedule: [600],
    })
    await createContact(use.tenant)
    await endpoint.arrived(1)
    await use.tenant.request('DELETE', `/api-v1-webhooks/${webhook.id}`)
    endpoint.answerAll(500)
    const [row] = await until(
      () => rowsOf(webhook.id),
      ([only]) => only?.status === 'failed',
    )
    await untilIs(() => statusOf(row!.id), 'CANCELLED')
    expect(endpoint.requests).to.have.length(1)
  })

  // decision: Inactive
  it('parks an open delivery when its webhook is deactivated in a back-off, and sends it on activation', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { retry_schedule: [1] })
    use.stack.receiver.behave(webhook.path, { failTimes: 1, status: 500 })
    await createContact(use.tenant)
    await webhook.delivery('retrying')
    await patch(webhook.id, { is_active: false })
    const [hidden] = await webhook.deliveries()
    expect(hidden).to.include({ status: 'retrying', next_retry_at: null, held_reason: 'webhook_inactive' })
    await rowWith(use.stack, hidden.id as string, ({ parked_at }) => parked_at !== null)
    expect(use.stack.receiver.requestsTo(webhook.path).length).to.equal(1)
    await patch(webhook.id, { is_active: true })
    expect(await webhook.delivery('success')).to.include({ attempts: 2 })
  })

  // decision: Former secret
  it('signs no attempt that starts after the answer with the former secret', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { max_retries: 10 })
    use.stack.receiver.behave(webhook.path, { status: 500 })
    await Promise.all(Array.from({ length: 4 }, () => createContact(use.tenant)))
    await use.stack.receiver.waitFor(webhook.path, 4)
    const answer = await use.tenant.request('POST', `/api-v1-webhooks/${webhook.id}/regenerate-secret`)
    const answeredAt = new Date()
    expect(Object.keys(answer.body.data)).to.deep.equal(['id', 'secret'])
    expect(answer.body.data.secret)
      .to.match(/^whsec_/)
      .and.not.equal(webhook.secret)
    use.stack.receiver.distrust(webhook.path)
    use.stack.receiver.trust(webhook.path, answer.body.data.secret as string)
    const later = await until(
      () =>
        use.stack
          .db('attempts as a')
          .join('deliveries as d', 'd.id', 'a.delivery_id')
          .where({ webhook_id: webhook.id })
          .where('a.started_at', '>', answeredAt)
          .select<{ event_id: string; number: number }[]>('d.event_id', 'a.number'),
      (attempts) => new Set(attempts.map(({ event_id }) => event_id)).size === 4,
    )
    const requests = use.stack.receiver.requestsTo(webhook.path)
    for (const { event_id, number } of later) {
      const ofEvent = requests.filter(({ headers }) => headers['webhook-id'] === event_id)
      expect(ofEvent[number - 1]!.verified).to.equal(true)
    }
  })
})
