import { expect } from 'chai'
import {
  deliveryOf,
  deliveryWith,
  isSuccess,
  kill,
  outboxRows,
  publish,
  workflowOf,
} from '../support/crashes.ts'
import { useCrashStack } from '../support/crash-stack.ts'
import { DIRECT, hasWorkflow, makersOf } from '../support/first-attempts.ts'
import { startHeldEndpoint } from '../support/held-endpoint.ts'
import { expectSoundRows } from '../support/invariants.ts'
import { readMetric } from '../support/metrics.ts'
import { untilIs } from '../support/poll.ts'
import { useEndpointsOn } from '../support/stack-endpoints.ts'

describe('crash of a worker during a direct attempt', function () {
  this.timeout(120_000)
  const use = useCrashStack({ environment: DIRECT, webhook: { retry_schedule: [600] } })
  afterEach(() => expectSoundRows(use.stack.db))
  const endpoints = useEndpointsOn(use)

  // decision: At least once
  it('sends again under the same webhook-id when it dies between the answer and the record', async () => {
    const endpoint = await startHeldEndpoint(endpoints)
    await use.tenant.request('PATCH', `/api-v1-webhooks/${use.webhook.id}`, { url: endpoint.url })
    const worker = await use.worker()
    const answers = () => readMetric(worker, 'webhook_attempts_total', { outcome: 'success' })
    const before = await answers()
    await publish(use.tenant, use.eventId)
    await endpoint.arrived(1)
    worker.database.stall()
    endpoint.answerAll(200)
    await untilIs(answers, before + 1)
    await kill(worker)
    expect(await deliveryOf(use.stack, use.eventId)).to.include({ status: 'pending', attempts: 0 })

    await use.worker()
    const { id } = await deliveryWith(use.stack, use.eventId, isSuccess)
    expect(endpoint.requests).to.have.length(2)
    for (const request of endpoint.requests) expect(request).to.include(`webhook-id: ${use.eventId}`)
    expect(await makersOf(use.stack, id)).to.deep.equal(['worker'])
    await outboxRows(use.stack, id, 0)
    expect(await hasWorkflow(use.stack, id)).to.equal(false)
  })

  it('leaves a failure whose workflow another worker starts when it dies right after the record', async () => {
    use.stack.receiver.behave(use.webhook.path, { status: 500 })
    const worker = await use.worker()
    worker.temporal.stall()
    await publish(use.tenant, use.eventId)
    const { id } = await deliveryWith(use.stack, use.eventId, ({ attempts }) => attempts === 1)
    await kill(worker)
    const [row] = await outboxRows(use.stack, id, 1)
    expect(row).to.include({ kind: 'handover' })
    await use.worker()
    expect((await workflowOf(use.stack, id))!.status.name).to.equal('RUNNING')
    await outboxRows(use.stack, id, 0)
    expect(await deliveryOf(use.stack, use.eventId)).to.include({ status: 'retrying', attempts: 1 })
    expect(use.requests()).to.have.length(1)
  })

  // decision: Direct retries
  it('leaves a retry that waits, whose direct attempt another worker makes at its time', async () => {
    await use.tenant.request('PATCH', `/api-v1-webhooks/${use.webhook.id}`, { retry_schedule: [4] })
    use.stack.receiver.behave(use.webhook.path, { failTimes: 1 })
    const worker = await use.worker()
    await publish(use.tenant, use.eventId)
    const failed = await deliveryWith(use.stack, use.eventId, ({ attempts }) => attempts === 1)
    await kill(worker)
    const [row] = await outboxRows(use.stack, failed.id, 1)
    expect(row).to.include({ kind: 'start', lease_owner: null })
    expect(row!.available_at).to.deep.equal(failed.next_retry_at)
    await use.worker()
    const { id } = await deliveryWith(use.stack, use.eventId, isSuccess)
    expect(await makersOf(use.stack, id)).to.deep.equal(['worker', 'worker'])
    const [first, second, ...more] = use.requests()
    expect(more).to.deep.equal([])
    expect(second!.headers['webhook-id']).to.equal(first!.headers['webhook-id'])
    expect(second!.receivedAt.getTime()).to.be.at.least((failed.next_retry_at as Date).getTime() - 500)
    await outboxRows(use.stack, id, 0)
    expect(await hasWorkflow(use.stack, id)).to.equal(false)
  })

  // decision: Direct retries
  it('sends a direct retry again when it dies before the record, and counts it once', async () => {
    const endpoint = await startHeldEndpoint(endpoints)
    const settings = { url: endpoint.url, retry_schedule: [1] }
    await use.tenant.request('PATCH', `/api-v1-webhooks/${use.webhook.id}`, settings)
    const worker = await use.worker()
    await publish(use.tenant, use.eventId)
    await endpoint.arrived(1)
    endpoint.answer(1, 500)
    await endpoint.arrived(2)
    await kill(worker)
    endpoint.answerAll(200)
    await use.worker()
    const row = await deliveryWith(use.stack, use.eventId, isSuccess)
    expect(row).to.include({ attempts: 2, in_temporal: 0 })
    expect(await makersOf(use.stack, row.id)).to.deep.equal(['worker', 'worker'])
    expect(endpoint.requests).to.have.length(3)
    await outboxRows(use.stack, row.id, 0)
  })

  /** Kills a worker that has sent a request and waits for its answer. */
  async function dieOnTheWire(): Promise<string> {
    use.stack.receiver.behave(use.webhook.path, { hang: true })
    const worker = await use.worker()
    await publish(use.tenant, use.eventId)
    await use.stack.receiver.next(use.webhook.path)
    await kill(worker)
    use.stack.receiver.behave(use.webhook.path, undefined)
    return (await deliveryOf(use.stack, use.eventId)).id as string
  }

  it('leaves a retry that waits for the lease of the dead worker, and one attempt serves it', async () => {
    const id = await dieOnTheWire()
    const path = `/api-v1-webhooks/${use.webhook.id}/deliveries/${id}/retry`
    expect((await use.tenant.request('POST', path)).status).to.equal(200)
    await use.worker()
    const row = await deliveryWith(use.stack, use.eventId, isSuccess)
    expect(row).to.include({ attempts: 1, retry_served: 1, in_temporal: 1 })
    await outboxRows(use.stack, id, 0)
    await workflowOf(use.stack, id, ({ status }) => status.name === 'COMPLETED')
    expect(await makersOf(use.stack, id)).to.deep.equal(['workflow'])
    expect(use.requests()).to.have.length(2)
  })
})
