import { WorkflowNotFoundError, type WorkflowFailedError } from '@temporalio/client'
import { expect } from 'chai'
import { SIGNALS } from '../../src/workflows/contract.js'
import { outboxRows, workflowOf } from '../support/crashes.js'
import { DIRECT, hasWorkflow, makersOf } from '../support/first-attempts.js'
import { expectSoundRows } from '../support/invariants.js'
import { readMetric } from '../support/metrics.js'
import { until } from '../support/poll.js'
import type { RunningProcess } from '../support/processes.js'
import type { Json } from '../support/tenants.js'
import { useStack } from '../support/use-stack.js'
import { createContact, createTestWebhook } from '../support/webhooks.js'

const logMakers = (shown: Json): string[] => shown.attempt_log.map(({ made_by }: Json) => made_by)
const CHANGE = 'first attempts are made by'
const changesOf = (worker: RunningProcess) =>
  worker
    .output()
    .split('\n')
    .filter((line) => line.includes(CHANGE))

describe('a first attempt that a worker makes itself', function () {
  this.timeout(60_000)
  const use = useStack({ environment: DIRECT })
  afterEach(() => expectSoundRows(use.stack.db))
  const rowOf = (id: string) => use.stack.db('deliveries').where({ id }).first() as Promise<Json>

  it('that succeeds has no workflow and leaves nothing in the outbox', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant)
    await createContact(use.tenant)
    const { id } = await webhook.delivery('success')
    expect(logMakers(await webhook.detail(id))).to.deep.equal(['worker'])
    expect(await rowOf(id)).to.include({ in_temporal: 0, attempts: 1 })
    expect(await use.stack.db('outbox').where({ subject_id: id })).to.deep.equal([])
    expect(await hasWorkflow(use.stack, id)).to.equal(false)
    expect(use.stack.receiver.requestsTo(webhook.path)).to.have.length(1)
  })

  it('that fails is handed to a workflow at once, which operators find and which makes the next attempt', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { retry_schedule: [3] })
    use.stack.receiver.behave(webhook.path, { failTimes: 1, status: 500 })
    await createContact(use.tenant)
    const { id } = await webhook.delivery('retrying')
    const running = await workflowOf(use.stack, id)
    expect(running!.status.name).to.equal('RUNNING')
    const attributes = running!.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value])
    expect(attributes).to.deep.include.members([
      ['WebhookId', webhook.id],
      ['CompanyId', use.tenant.tenant.companyId],
      ['EventType', 'contact.created'],
    ])
    expect(await rowOf(id)).to.include({ in_temporal: 1 })
    await outboxRows(use.stack, id, 0)
    await webhook.delivery('success')
    expect(logMakers(await webhook.detail(id))).to.deep.equal(['worker', 'workflow'])
    await workflowOf(use.stack, id, ({ status }) => status.name === 'COMPLETED')
  })

  it('that fails for good has a workflow that ended as failed, with the reason', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { max_retries: 0 })
    use.stack.receiver.behave(webhook.path, { status: 500 })
    await createContact(use.tenant)
    const { id } = await webhook.delivery('failed')
    await workflowOf(use.stack, id, ({ status }) => status.name === 'FAILED')
    const reason = await use.stack.temporal.workflow
      .getHandle(id)
      .result()
      .catch((error: unknown) => (error as WorkflowFailedError).cause?.message)
    expect(reason).to.equal('http_500 after 1 attempt')
    await outboxRows(use.stack, id, 0)
    expect(await makersOf(use.stack, id)).to.deep.equal(['worker'])
    expect(use.stack.receiver.requestsTo(webhook.path)).to.have.length(1)
  })

  it('to a page that is gone deactivates the webhook, and its deliveries wait for the activation', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { retry_schedule: [1] })
    use.stack.receiver.behave(webhook.path, { failTimes: 1, status: 410 })
    await createContact(use.tenant)
    await until(webhook.get, ({ is_active }) => is_active === false)
    const { id } = await webhook.delivery('retrying')
    await until(
      () => rowOf(id),
      ({ parked_at }) => parked_at !== null,
    )
    await use.tenant.request('PATCH', `/api-v1-webhooks/${webhook.id}`, { is_active: true })
    expect(await webhook.delivery('success')).to.include({ attempts: 2 })
    expect(await makersOf(use.stack, id)).to.deep.equal(['worker', 'workflow'])
  })

  it('cannot be retried by a signal while it is on the wire, because there is no workflow yet', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant)
    use.stack.receiver.behave(webhook.path, { delayMs: 500 })
    await createContact(use.tenant)
    await use.stack.receiver.next(webhook.path)
    const [{ id }] = (await webhook.deliveries()) as [{ id: string }]
    const refusal = await use.stack.temporal.workflow
      .getHandle(id)
      .signal(SIGNALS.retry)
      .catch((error: unknown) => error)
    expect(refusal).to.be.instanceOf(WorkflowNotFoundError)
    await webhook.delivery('success')
  })

  it('is told by one log line and a gauge', async () => {
    const [worker] = use.stack.workers
    expect(changesOf(worker!)).to.have.length(1)
    expect(changesOf(worker!)[0]).to.include(`${CHANGE} this worker itself`)
    expect(await readMetric(worker!, 'webhook_first_attempts_direct')).to.equal(1)
  })
})

describe('first attempts that adapt to the load', function () {
  this.timeout(60_000)
  const use = useStack({
    environment: { DELIVERY_FIRST_ATTEMPT: 'adaptive', WORKFLOW_FIRST_ATTEMPTS_PER_SECOND: '5' },
  })

  it('are made by workflows in calm hours, and by the worker itself in a burst', async () => {
    const [worker] = use.stack.workers
    const gauge = () => readMetric(worker!, 'webhook_first_attempts_direct')
    const calm = await createTestWebhook(use.stack, use.tenant)
    await createContact(use.tenant)
    const { id } = await calm.delivery('success')
    expect(await makersOf(use.stack, id)).to.deep.equal(['workflow'])
    expect(await hasWorkflow(use.stack, id)).to.equal(true)
    expect(await gauge()).to.equal(0)

    const other = await use.stack.tenant()
    const webhook = await createTestWebhook(use.stack, other)
    const events = Array.from({ length: 100 }, () => ({ event: 'contact.created', data: {} }))
    await other.request('POST', '/api-v1-events', { events })
    await until(webhook.get, ({ successful_deliveries }) => successful_deliveries === 100)
    expect(await gauge()).to.equal(1)
    expect(changesOf(worker!).map((line) => JSON.parse(line).reason)).to.deep.equal([
      'started',
      'many first attempts',
    ])
    const makers = await use.stack
      .db('attempts as a')
      .join('deliveries as d', 'd.id', 'a.delivery_id')
      .where({ 'd.webhook_id': webhook.id })
      .pluck('a.made_by')
    expect(makers).to.have.length(100).and.include('worker')
    expect(use.stack.receiver.requestsTo(webhook.path)).to.have.length(100)
    await expectSoundRows(use.stack.db)
  })
})
