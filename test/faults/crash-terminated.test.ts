// Also on MySQL with direct attempts: it matters who makes the attempt that a crash cuts.
import { expect } from 'chai'
import { recoveryWorkflowId } from '../../src/workflows/contract.ts'
import { deliveryWith, isSuccess, newEventId, publish, TAKE_OVER_MS, workflowOf } from '../support/crashes.ts'
import { useCrashStack } from '../support/crash-stack.ts'
import { setDue } from '../support/due-deliveries.ts'
import { BY_WORKFLOWS } from '../support/first-attempts.ts'
import type { RunningPart } from '../support/running-parts.ts'
import { until, untilIs } from '../support/poll.ts'
import { createTestWebhook, publishMany } from '../support/tenants.ts'

describe('a Temporal that lost what it had', function () {
  this.timeout(90_000)
  const use = useCrashStack({
    // A delivery that waits for its next attempt has a workflow, even after a direct first attempt.
    environment: { RECONCILE_AFTER: '1s', WEBHOOK_CONCURRENCY: '2', DIRECT_RETRIES_WITHIN: '0' },
    webhook: { retry_schedule: [1] },
  })

  let worker: RunningPart
  const start = async (more?: Record<string, string>) => (worker = await use.stack.startWorker(more))
  afterEach(() => worker.stop())

  const terminate = (id: string) => use.stack.temporal.workflow.getHandle(id).terminate('by hand')

  it('has a workflow that somebody terminated started again by the reconciler when it waited for its next attempt', async () => {
    await start()
    // The test makes it due later, because a second may pass before the workflow is terminated.
    await use.webhook.change({ retry_schedule: [600] })
    use.webhook.behave({ failTimes: 1 })
    const { id } = await use.published(({ attempts }) => attempts === 1)
    await use.outbox(id, 0)
    const printed = worker.output().length
    await terminate(id)
    await setDue(use.stack, [id])
    expect(await use.delivery(isSuccess)).to.include({ attempts: 2 })
    expect(use.requests()).to.have.length(2)
    expect(worker.output().slice(printed)).to.include('queued again')
  })

  it('has a workflow that somebody terminated started again by the reconciler when it was that of a recovery', async () => {
    const { stack, tenant, webhook } = use
    await start()
    await webhook.change({ max_retries: 0 })
    webhook.behave({ failTimes: 5 })
    await publishMany(tenant, 5)
    const failed = () => webhook.deliveries('?status=failed')
    await until(failed, ({ length }) => length === 5, { withinMs: TAKE_OVER_MS })
    webhook.behave({ delayMs: 1_000 })
    const { id } = (await webhook.recover()).body.data
    await workflowOf(stack, recoveryWorkflowId(id))
    await terminate(recoveryWorkflowId(id))
    const shown = () => webhook.recovery(id)
    const ended = await until(shown, ({ status }) => status !== 'running', { withinMs: TAKE_OVER_MS })
    expect(ended).to.include({ status: 'done', queued: 5 })
  })

  // decision: A Temporal that lost its store
  it('gets back what was registered in its store once it refuses a call of a worker that runs on', async () => {
    const { stack, tenant } = use
    // So the reconciler looks once a minute.
    await start({ ...BY_WORKFLOWS, RECONCILE_AFTER: '5m' })
    const namespace = stack.environment['TEMPORAL_NAMESPACE']!
    const { operatorService } = stack.temporal.connection
    const registered = async () =>
      Object.keys((await operatorService.listSearchAttributes({ namespace })).customAttributes).sort()
    const names = ['CompanyId', 'Environment', 'EventId', 'EventType', 'WebhookId']
    expect(await registered()).to.deep.equal(names)
    await operatorService.removeSearchAttributes({ namespace, searchAttributes: names })
    // Temporal still lists the workflows for some seconds.
    await untilIs(async () => (await registered()).length, 0, { withinMs: TAKE_OVER_MS })
    const ids: string[] = []
    const publishAndRead = async () => {
      ids.push(...(await publishMany(tenant, 1)))
      return (await registered()).join()
    }
    await untilIs(publishAndRead, names.join(), { withinMs: TAKE_OVER_MS })
    for (const id of ids) expect(await deliveryWith(stack, id, isSuccess)).to.include({ attempts: 1 })
  }).timeout(120_000)

  it('is filled again from the rows when it lost its store: waiting, parked and unstarted deliveries come out', async () => {
    const { stack, tenant } = use
    await start()
    await use.webhook.remove()
    const waiting = await createTestWebhook(stack, tenant, { retry_schedule: [2] })
    const parked = await createTestWebhook(stack, tenant, { events: ['deal.created'], retry_schedule: [1] })
    waiting.behave({ failTimes: 1 })
    parked.behave({ failTimes: 1, status: 410 })
    const [waitingId, parkedId, unstartedId] = [newEventId(), newEventId(), newEventId()]
    await tenant.request('POST', '/api-v1-events', { id: parkedId, event: 'deal.created', data: {} })
    await deliveryWith(stack, parkedId, ({ parked_at }) => parked_at !== null)
    await publish(tenant, waitingId)
    await deliveryWith(stack, waitingId, ({ attempts }) => attempts === 1)
    await worker.stop()
    await publish(tenant, unstartedId)

    await start({ TEMPORAL_NAMESPACE: `${stack.environment['TEMPORAL_NAMESPACE']!}-new` })
    await deliveryWith(stack, unstartedId, isSuccess)
    expect(await deliveryWith(stack, waitingId, isSuccess)).to.include({ attempts: 2 })
    await parked.change({ is_active: true })
    expect(await deliveryWith(stack, parkedId, isSuccess)).to.include({ attempts: 2 })
    expect(waiting.requests()).to.have.length(3)
    expect(parked.requests()).to.have.length(2)
  }).timeout(120_000)
})
