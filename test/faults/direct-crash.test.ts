import { expect } from 'chai'
import { isSuccess, kill } from '../support/crashes.ts'
import { useCrashStack } from '../support/crash-stack.ts'
import { DIRECT, hasWorkflow, makersOf } from '../support/first-attempts.ts'
import { readMetric } from '../support/metrics.ts'
import { untilIs } from '../support/poll.ts'

describe('crash of a worker during a direct attempt', function () {
  this.timeout(120_000)
  const use = useCrashStack({ environment: DIRECT, webhook: { retry_schedule: [600] } })

  // decision: At least once
  it('sends again under the same webhook-id when it dies between the answer and the record', async () => {
    const endpoint = await use.hold()
    const worker = await use.worker()
    const answers = () => readMetric(worker, 'webhook_attempts_total', { outcome: 'success' })
    const before = await answers()
    await use.publish()
    await endpoint.arrived(1)
    worker.database.stall()
    endpoint.answerAll(200)
    await untilIs(answers, before + 1)
    await kill(worker)
    expect(await use.delivery()).to.include({ status: 'pending', attempts: 0 })

    await use.worker()
    const { id } = await use.delivery(isSuccess)
    expect(endpoint.requests).to.have.length(2)
    for (const request of endpoint.requests) expect(request).to.include(`webhook-id: ${use.eventId}`)
    expect(await makersOf(use.stack, id)).to.deep.equal(['worker'])
    await use.outbox(id, 0)
    expect(await hasWorkflow(use.stack, id)).to.equal(false)
  })

  it('leaves a failure whose workflow another worker starts when it dies right after the record', async () => {
    use.webhook.behave({ status: 500 })
    const worker = await use.worker()
    worker.temporal.stall()
    await use.publish()
    const { id } = await use.delivery(({ attempts }) => attempts === 1)
    await kill(worker)
    const [row] = await use.outbox(id, 1)
    expect(row).to.include({ kind: 'handover' })
    await use.worker()
    expect((await use.workflow(id))!.status.name).to.equal('RUNNING')
    await use.outbox(id, 0)
    expect(await use.delivery()).to.include({ status: 'retrying', attempts: 1 })
    expect(use.requests()).to.have.length(1)
  })

  // decision: Direct retries
  it('leaves a retry that waits, whose direct attempt another worker makes at its time', async () => {
    await use.webhook.change({ retry_schedule: [4] })
    use.webhook.behave({ failTimes: 1 })
    const worker = await use.worker()
    await use.publish()
    const failed = await use.delivery(({ attempts }) => attempts === 1)
    await kill(worker)
    const [row] = await use.outbox(failed.id, 1)
    expect(row).to.include({ kind: 'start', lease_owner: null })
    expect(row!.available_at).to.deep.equal(failed.next_retry_at)
    await use.worker()
    const { id } = await use.delivery(isSuccess)
    expect(await makersOf(use.stack, id)).to.deep.equal(['worker', 'worker'])
    const [first, second, ...more] = use.requests()
    expect(more).to.deep.equal([])
    expect(second!.headers['webhook-id']).to.equal(first!.headers['webhook-id'])
    expect(second!.receivedAt.getTime()).to.be.at.least((failed.next_retry_at as Date).getTime() - 500)
    await use.outbox(id, 0)
    expect(await hasWorkflow(use.stack, id)).to.equal(false)
  })

  it('leaves a retry that waits for the lease of the dead worker, and one attempt serves it', async () => {
    const { id } = await use.dieOnTheWire()
    expect((await use.webhook.retry(id)).status).to.equal(200)
    await use.worker()
    const row = await use.delivery(isSuccess)
    expect(row).to.include({ attempts: 1, retry_served: 1, in_temporal: 1 })
    await use.outbox(id, 0)
    await use.workflow(id, ({ status }) => status.name === 'COMPLETED')
    expect(await makersOf(use.stack, id)).to.deep.equal(['workflow'])
    expect(use.requests()).to.have.length(2)
  })
})
