import { expect } from 'chai'
import { deliveryOf, deliveryWith, outboxRows, publish, workflowOf } from '../support/crashes.ts'
import { useCrashStack } from '../support/crash-stack.ts'
import { DIRECT, hasWorkflow, makersOf } from '../support/first-attempts.ts'
import { expectSoundRows } from '../support/invariants.ts'
import type { CrewWorker } from '../support/worker-crew.ts'

describe('a Temporal that is away during direct attempts', function () {
  this.timeout(120_000)
  const use = useCrashStack({ environment: DIRECT, webhook: { max_retries: 0 } })
  afterEach(() => expectSoundRows(use.stack.db))
  const path = () => `/api-v1-webhooks/${use.webhook.id}`
  const patch = (body: object) => use.tenant.request('PATCH', path(), body)
  const isClosed = ({ status }: { status: { name: string } }) => status.name !== 'RUNNING'

  /** A delivery whose first attempt failed and was recorded, while its workflow waits for Temporal. */
  async function failWithoutTemporal(status: string): Promise<{ id: string; worker: CrewWorker }> {
    use.stack.receiver.behave(use.webhook.path, { failTimes: 1, status: 500 })
    const worker = await use.worker()
    worker.temporal.stall()
    await publish(use.tenant, use.eventId)
    const row = await deliveryWith(use.stack, use.eventId, (now) => now.status === status)
    const id = row.id as string
    const waiting = await outboxRows(use.stack, id, 1)
    expect(waiting.map(({ kind }) => kind as string)).to.deep.equal(['handover'])
    return { id, worker }
  }
  const retry = async (id: string) => {
    expect((await use.tenant.request('POST', `${path()}/deliveries/${id}/retry`)).status).to.equal(200)
  }

  it('lets a retry come before the workflow of a delivery that failed for good: one attempt more', async () => {
    const { id, worker } = await failWithoutTemporal('failed')
    await retry(id)
    expect(await deliveryOf(use.stack, use.eventId)).to.include({ status: 'retrying', max_attempts: 2 })
    await worker.temporal.pass()
    const row = await deliveryWith(use.stack, use.eventId, ({ status }) => status === 'success')
    expect(row).to.include({ attempts: 2, retry_served: 1 })
    await outboxRows(use.stack, id, 0)
    await workflowOf(use.stack, id, ({ status }) => status.name === 'COMPLETED')
    expect(await makersOf(use.stack, id)).to.deep.equal(['worker', 'workflow'])
    expect(use.requests()).to.have.length(2)
  })

  // decision: Direct retries
  it('holds up no retry that is due soon', async () => {
    await patch({ max_retries: 3, retry_schedule: [1] })
    use.stack.receiver.behave(use.webhook.path, { failTimes: 2, status: 500 })
    const worker = await use.worker()
    worker.temporal.stall()
    await publish(use.tenant, use.eventId)
    const { id } = await deliveryWith(use.stack, use.eventId, (now) => now.status === 'success')
    expect(await makersOf(use.stack, id)).to.deep.equal(['worker', 'worker', 'worker'])
    expect(use.requests()).to.have.length(3)
    await worker.temporal.pass()
    expect(await hasWorkflow(use.stack, id)).to.equal(false)
  })

  for (const [status, max_retries, reason] of [
    ['retrying', 3, 'webhook_deleted'],
    ['failed', 0, 'attempts_used'],
  ] as const) {
    it(`lets its webhook be deleted before its workflow begins, and none stays (${status})`, async () => {
      await patch({ max_retries, retry_schedule: [600] })
      const { id, worker } = await failWithoutTemporal(status)
      await use.tenant.request('DELETE', path())
      await worker.temporal.pass()
      await outboxRows(use.stack, id, 0)
      await outboxRows(use.stack, use.webhook.id, 0)
      expect(await deliveryOf(use.stack, use.eventId)).to.include({ status: 'failed', closed_reason: reason })
      if (await hasWorkflow(use.stack, id)) await workflowOf(use.stack, id, isClosed)
      expect(use.requests()).to.have.length(1)
    })
  }
})
