import { expect } from 'chai'
import { useCrashStack } from '../support/crash-stack.ts'
import { DIRECT, hasWorkflow, makersOf } from '../support/first-attempts.ts'
import type { CrewWorker } from '../support/worker-crew.ts'

describe('a Temporal that is away during direct attempts', function () {
  this.timeout(120_000)
  const use = useCrashStack({ environment: DIRECT, webhook: { max_retries: 0 } })
  const isClosed = ({ status }: { status: { name: string } }) => status.name !== 'RUNNING'

  /** A delivery whose first attempt failed and was recorded, while its workflow waits for Temporal. */
  async function failWithoutTemporal(status: string): Promise<{ id: string; worker: CrewWorker }> {
    use.webhook.behave({ failTimes: 1, status: 500 })
    const worker = await use.worker()
    worker.temporal.stall()
    await use.publish()
    const row = await use.delivery((now) => now.status === status)
    const id = row.id as string
    const waiting = await use.outbox(id, 1)
    expect(waiting.map(({ kind }) => kind as string)).to.deep.equal(['handover'])
    return { id, worker }
  }

  it('lets a retry come before the workflow of a delivery that failed for good: one attempt more', async () => {
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
  ] as const) {
    it(`lets its webhook be deleted before its workflow begins, and none stays (${status})`, async () => {
      await use.webhook.change({ max_retries, retry_schedule: [600] })
      const { id, worker } = await failWithoutTemporal(status)
      await use.webhook.remove()
      await worker.temporal.pass()
      await use.outbox(id, 0)
      await use.outbox(use.webhook.id, 0)
      expect(await use.delivery()).to.include({ status: 'failed', closed_reason: reason })
      if (await hasWorkflow(use.stack, id)) await use.workflow(id, isClosed)
      expect(use.requests()).to.have.length(1)
    })
  }
})
