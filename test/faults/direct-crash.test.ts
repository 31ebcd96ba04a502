import { expect } from 'chai'
import { isSuccess, kill } from '../support/crashes.ts'
import { useCrashStack } from '../support/crash-stack.ts'
import { DIRECT, hasWorkflow, makersOf } from '../support/first-attempts.ts'
import type { CrewWorker } from '../support/worker-crew.ts'

describe('direct attempts when a worker dies or Temporal does not answer', function () {
  this.timeout(120_000)
  const use = useCrashStack({ environment: DIRECT, webhook: { retry_schedule: [600] } })

  it('another worker starts the workflow of a failure when the first dies right after its record', async () => {
    use.webhook.behave({ status: 500 })
    const worker = await use.worker()
    worker.temporal.stall()
    const { id } = await use.published(({ attempts }) => attempts === 1)
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
  it('another worker makes the direct retry of a dead worker at its time', async () => {
    await use.webhook.change({ retry_schedule: [4] })
    use.webhook.behave({ failTimes: 1 })
    const worker = await use.worker()
    const failed = await use.published(({ attempts }) => attempts === 1)
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

  it('a retry request that waits for the lease of the dead worker is served by one attempt', async () => {
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

  /** Publishes while Temporal is down, and waits until the first attempt has failed and is recorded. */
  async function failWithoutTemporal(status: string): Promise<{ id: string; worker: CrewWorker }> {
    use.webhook.behave({ failTimes: 1, status: 500 })
    const worker = await use.worker()
    worker.temporal.stall()
    const row = await use.published((now) => now.status === status)
    const id = row.id as string
    const waiting = await use.outbox(id, 1)
    expect(waiting.map(({ kind }) => kind as string)).to.deep.equal(['handover'])
    return { id, worker }
  }

  it('a retry request before the workflow of a failed delivery starts adds one attempt', async () => {
    await use.webhook.change({ max_retries: 0 })
    const { id, worker } = await failWithoutTemporal('failed')
    expect((await use.webhook.retry(id)).status).to.equal(200)
    expect(await use.delivery()).to.include({ status: 'retrying', max_attempts: 2 })
    await worker.temporal.pass()
    const row = await use.delivery(({ status }) => status === 'success')
    expect(row).to.include({ attempts: 2, retry_served: 1 })
    await use.outbox(id, 0)
    await use.workflow(id, ({ status }) => status.name === 'COMPLETED')
    expect(await makersOf(use.stack, id)).to.deep.equal(['worker', 'workflow'])
    expect(use.requests()).to.have.length(2)
  })

  for (const [status, max_retries, reason] of [
    ['retrying', 3, 'webhook_deleted'],
    ['failed', 0, 'attempts_used'],
  ] as const)
    it(`a webhook deleted before the workflow of its delivery starts leaves none running (${status})`, async () => {
      await use.webhook.change({ max_retries })
      const { id, worker } = await failWithoutTemporal(status)
      await use.webhook.remove()
      await worker.temporal.pass()
      await use.outbox(id, 0)
      await use.outbox(use.webhook.id, 0)
      expect(await use.delivery()).to.include({ status: 'failed', closed_reason: reason })
      if (await hasWorkflow(use.stack, id)) await use.workflow(id, (run) => run.status.name !== 'RUNNING')
      expect(use.requests()).to.have.length(1)
    })
})
