import { expect } from 'chai'
import { deliveryOf, deliveryWith, kill, outboxRows, publish, workflowOf } from '../support/crashes.js'
import { useCrashStack } from '../support/crash-stack.js'
import { BY_WORKFLOWS } from '../support/first-attempts.js'
import { expectSoundRows } from '../support/invariants.js'

describe('a workflow that somebody terminated by hand', function () {
  this.timeout(90_000)
  const use = useCrashStack({ environment: { RECONCILE_AFTER: '1s' }, webhook: { retry_schedule: [1] } })
  const terminate = (id: string) => use.stack.temporal.workflow.getHandle(id).terminate('by hand')
  const isSuccess = ({ status }: { status: string }) => status === 'success'

  it('is started again when it had made no attempt', async () => {
    const worker = await use.worker(BY_WORKFLOWS)
    worker.temporal.stall('toClient')
    await publish(use.tenant, use.eventId)
    const { id } = await deliveryOf(use.stack, use.eventId)
    const first = await workflowOf(use.stack, id)
    await kill(worker)
    await terminate(id)
    await use.worker(BY_WORKFLOWS)
    expect(await deliveryWith(use.stack, use.eventId, isSuccess)).to.include({ attempts: 1 })
    expect((await workflowOf(use.stack, id))!.runId).to.not.equal(first!.runId)
    expect(use.requests()).to.have.length(1)
    await expectSoundRows(use.stack.db)
  })

  it('is started again by the reconciler when it waited for its next attempt', async () => {
    const worker = await use.worker()
    use.stack.receiver.behave(use.webhook.path, { failTimes: 1 })
    await publish(use.tenant, use.eventId)
    const { id } = await deliveryWith(use.stack, use.eventId, ({ attempts }) => attempts === 1)
    await outboxRows(use.stack, id, 0)
    const printed = worker.output().length
    await terminate(id)
    expect(await deliveryWith(use.stack, use.eventId, isSuccess)).to.include({ attempts: 2 })
    expect(use.requests()).to.have.length(2)
    expect(worker.output().slice(printed)).to.include('queued again')
    await expectSoundRows(use.stack.db)
  })
})
