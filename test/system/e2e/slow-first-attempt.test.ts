import { expect } from 'chai'
import { checkHistory } from '../../support/check-history.ts'
import { deliveryWith, isSuccess, newEventId, publish, workflowOf } from '../../support/crashes.ts'
import { BY_WORKFLOWS } from '../../support/first-attempts.ts'
import { startHeldEndpoint } from '../../support/held-endpoint.ts'
import { until } from '../../support/poll.ts'
import { useEndpointsOn } from '../../support/stack-endpoints.ts'
import { useStack } from '../../support/use-stack.ts'
import { createTestWebhook } from '../../support/webhooks.ts'

describe('a first attempt that takes longer than a task of a workflow', function () {
  this.timeout(60_000)
  const use = useStack({ environment: { ...BY_WORKFLOWS, WEBHOOK_TIMEOUT: '40s' } })
  const endpoints = useEndpointsOn(use)
  const events = async (id: string) =>
    (await use.stack.temporal.workflow.getHandle(id).fetchHistory()).events ?? []

  /** A first attempt whose worker has told Temporal once, after 8 s, that its task goes on. */
  async function onTheWire(fields = {}) {
    const endpoint = await startHeldEndpoint(endpoints)
    const webhook = await createTestWebhook(use.stack, use.tenant, { url: endpoint.url, ...fields })
    const eventId = newEventId()
    await publish(use.tenant, eventId)
    await endpoint.arrived(1)
    const { id } = (await deliveryWith(use.stack, eventId, () => true)) as { id: string }
    const isTold = (history: Awaited<ReturnType<typeof events>>) =>
      history.some(({ workflowTaskCompletedEventAttributes: completed }) => completed)
    await until(() => events(id), isTold, { withinMs: 30_000, what: 'a sign of life from the task' })
    return { endpoint, id, eventId, webhook }
  }

  // decision: A workflow's first attempt is a local activity
  it('is sent once, and the next one to that endpoint is an ordinary activity', async () => {
    const { endpoint, id, eventId } = await onTheWire()
    endpoint.answer(1, 200)
    expect(await deliveryWith(use.stack, eventId, isSuccess)).to.include({ attempts: 1 })
    await checkHistory(use.stack, 'slow-first-attempt', id)
    expect(endpoint.requests).to.have.length(1)

    const nextId = newEventId()
    await publish(use.tenant, nextId)
    await endpoint.arrived(2)
    const next = (await deliveryWith(use.stack, nextId, () => true)) as { id: string }
    const { raw } = (await workflowOf(use.stack, next.id))!
    expect(raw.pendingActivities?.map(({ activityType }) => activityType?.name)).to.deep.equal([
      'attemptDelivery',
    ])
    endpoint.answerAll(200)
    await deliveryWith(use.stack, nextId, isSuccess)
  })

  // decision: A workflow's first attempt is a local activity
  it('is followed at once by a retry that was asked for meanwhile', async () => {
    const { endpoint, id, eventId, webhook } = await onTheWire({ retry_schedule: [600] })
    await webhook.retry(id)
    const isSignalled = (history: Awaited<ReturnType<typeof events>>) =>
      history.some(({ workflowExecutionSignaledEventAttributes: signal }) => signal)
    await until(() => events(id), isSignalled, { withinMs: 20_000, what: 'the signal' })
    endpoint.answer(1, 500)
    endpoint.answerAll(200)
    expect(await deliveryWith(use.stack, eventId, isSuccess)).to.include({ attempts: 2 })
    await checkHistory(use.stack, 'slow-first-attempt-retried', id)
  })

  // decision: A workflow's first attempt is a local activity
  it('ends its run as cancelled when the webhook is deleted meanwhile', async () => {
    const { endpoint, id, webhook } = await onTheWire()
    await webhook.remove()
    endpoint.answerAll(500)
    const ended = await workflowOf(use.stack, id, ({ status }) => status.name !== 'RUNNING')
    expect(ended!.status.name).to.equal('CANCELLED')
    await checkHistory(use.stack, 'slow-first-attempt-deleted', id)
  })
})
