// Also on MySQL with direct attempts: it matters who makes the attempt that a crash cuts.
import { expect } from 'chai'
import { isSuccess, kill, TAKE_OVER_MS } from '../support/crashes.ts'
import { useCrashStack } from '../support/crash-stack.ts'
import { BY_WORKFLOWS } from '../support/first-attempts.ts'

describe('crash of a worker around an attempt', function () {
  this.timeout(90_000)
  const use = useCrashStack()

  it('starts one workflow when the worker dies after the start and before the outbox row goes', async () => {
    const worker = await use.worker(BY_WORKFLOWS)
    worker.temporal.stall('toClient')
    const { id } = await use.published()
    const first = await use.workflow(id)
    await kill(worker)
    await use.outbox(id, 1)
    expect(use.requests()).to.deep.equal([])

    await use.worker(BY_WORKFLOWS)
    await use.delivery(isSuccess)
    await use.outbox(id, 0)
    const ended = await use.workflow(id, ({ status }) => status.name === 'COMPLETED')
    expect(ended!.runId).to.equal(first!.runId)
    expect(use.requests()).to.have.length(1)
  })

  // decision: At least once
  it('sends again under the same webhook-id when the worker dies with bytes on the wire, also an only attempt', async () => {
    await use.webhook.change({ max_retries: 0 })
    expect(await use.dieOnTheWire()).to.include({ status: 'pending', attempts: 0 })
    await use.worker()
    const again = await use.stack.receiver.next(use.webhook.path, { timeoutMs: TAKE_OVER_MS })
    expect(again.headers['webhook-id']).to.equal(use.eventId)
    expect(again.verified).to.equal(true)
    expect(await use.delivery(isSuccess)).to.include({ attempts: 1, max_attempts: 1 })
    expect(use.requests()).to.have.length(2)
  })

  it('sends nothing more when the worker dies after recording and before Temporal hears of it', async () => {
    const endpoint = await use.hold()
    const worker = await use.worker(BY_WORKFLOWS)
    await use.publish()
    await endpoint.arrived(1)
    worker.temporal.stall()
    endpoint.answerAll(200)
    const { id } = await use.delivery(isSuccess)
    await kill(worker)
    expect((await use.workflow(id))!.status.name).to.equal('RUNNING')

    await use.worker(BY_WORKFLOWS)
    const ended = await use.workflow(id, ({ status }) => status.name !== 'RUNNING')
    expect(ended!.status.name).to.equal('COMPLETED')
    expect(endpoint.requests).to.have.length(1)
    expect(await use.delivery()).to.include({ status: 'success', attempts: 1 })
  })

  it('keeps to the recorded delay when the worker dies after recording a failure', async () => {
    await use.webhook.change({ retry_schedule: [7] })
    use.webhook.behave({ delayMs: 300, failTimes: 1 })
    const worker = await use.worker()
    await use.publish()
    await use.stack.receiver.next(use.webhook.path)
    worker.temporal.stall()
    const failed = await use.delivery(({ attempts }) => attempts === 1)
    await kill(worker)

    // Answer at once now, because on a busy machine a delay could exceed the time-out and cause a third attempt.
    use.webhook.behave()
    await use.stack.startWorker()
    const second = await use.stack.receiver.next(use.webhook.path, { timeoutMs: TAKE_OVER_MS })
    const dueAt = (failed as { next_retry_at: Date }).next_retry_at
    expect(second.receivedAt.getTime()).to.be.at.least(dueAt.getTime() - 500)
    await use.delivery(isSuccess)
    expect(use.requests()).to.have.length(2)
  })
})
