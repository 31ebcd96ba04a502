import { expect } from 'chai'
import { checkHistory } from '../../support/histories.ts'
import { workflowOf } from '../../support/crashes.ts'
import { BY_WORKFLOWS } from '../../support/first-attempts.ts'
import { useHeldDeliveries } from '../../support/stack-endpoints.ts'
import { until } from '../../support/poll.ts'
import { type Stack, useStack } from '../../support/use-stack.ts'
import { createContact } from '../../support/tenants.ts'

describe('a first attempt that takes longer than a task of a workflow', function () {
  this.timeout(60_000)
  const use = useStack({ environment: { ...BY_WORKFLOWS, WEBHOOK_TIMEOUT: '40s' } })
  const deliverHeld = useHeldDeliveries(use)

  /** First attempts with one heartbeat of their workflow task, sent after 8 s. All run at once to save time. */
  let held: Awaited<ReturnType<typeof deliverHeld>>[]
  before(async () => {
    const send = async (fields: object) => deliverHeld({ ...fields }, await use.stack.tenant())
    held = await Promise.all([{}, { retry_schedule: [600] }, {}].map(send))
    const isTold = (history: Awaited<ReturnType<Stack['eventsOf']>>) =>
      history.some(({ workflowTaskCompletedEventAttributes: completed }) => completed)
    const limits = { withinMs: 30_000, what: 'a sign of life from the task' }
    for (const { id } of held) await until(() => use.stack.eventsOf(id), isTold, limits)
  })

  // decision: A workflow's first attempt is a local activity
  it('is sent once, and the next one to that endpoint is an ordinary activity', async () => {
    const { endpoint, webhook, id } = held[0]!
    endpoint.answer(1, 200)
    expect(await webhook.delivery('success')).to.include({ attempts: 1 })
    await checkHistory(use.stack, 'slow-first-attempt', id)
    expect(endpoint.requests).to.have.length(1)

    await createContact(webhook.tenant)
    await endpoint.arrived(2)
    const [next] = await webhook.deliveries()
    const { raw } = (await workflowOf(use.stack, next.id))!
    const names = raw.pendingActivities?.map(({ activityType }) => activityType?.name)
    expect(names).to.deep.equal(['attemptDelivery'])
    endpoint.answerAll(200)
    await webhook.delivered(2)
  })

  // decision: A workflow's first attempt is a local activity
  it('is followed at once by a retry that was asked for meanwhile', async () => {
    const { endpoint, webhook, id } = held[1]!
    await webhook.retry(id)
    const isSignalled = (history: Awaited<ReturnType<Stack['eventsOf']>>) =>
      history.some(({ workflowExecutionSignaledEventAttributes: signal }) => signal)
    await until(() => use.stack.eventsOf(id), isSignalled, { withinMs: 20_000, what: 'the signal' })
    endpoint.answer(1, 500)
    endpoint.answerAll(200)
    expect(await webhook.delivery('success')).to.include({ attempts: 2 })
    await checkHistory(use.stack, 'slow-first-attempt-retried', id)
  })

  // decision: A workflow's first attempt is a local activity
  // decision: Deleted
  it('is the last one, and ends its run as cancelled, when the webhook is deleted meanwhile', async () => {
    const { endpoint, webhook, id } = held[2]!
    await webhook.remove()
    endpoint.answerAll(500)
    const ended = await workflowOf(use.stack, id, ({ status }) => status.name !== 'RUNNING')
    expect(ended!.status.name).to.equal('CANCELLED')
    expect(endpoint.requests).to.have.length(1)
    await checkHistory(use.stack, 'slow-first-attempt-deleted', id)
  })
})
