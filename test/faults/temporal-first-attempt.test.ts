// Only in .ci/run: two attempts wait until Temporal gives their task up, which takes most of a minute.
import { expect } from 'chai'
import { isSuccess, TAKE_OVER_MS } from '../support/crashes.ts'
import { useCrashStack } from '../support/crash-stack.ts'
import { BY_WORKFLOWS } from '../support/first-attempts.ts'
import { until, untilIs } from '../support/poll.ts'

/** Temporal's PendingWorkflowTaskState, with the values of the protocol. */
const STARTED = 2

describe('a Temporal that is away for longer than a task of a workflow while a first attempt is on the wire', function () {
  this.timeout(120_000)
  // The attempt is still on the wire when Temporal gives up the workflow task, after 10 s.
  const use = useCrashStack({ environment: { ...BY_WORKFLOWS, WEBHOOK_TIMEOUT: '60s' } })

  async function onTheWire() {
    const endpoint = await use.hold()
    const worker = await use.worker()
    await use.publish()
    await endpoint.arrived(1)
    const { id } = (await use.delivery()) as { id: string }
    await untilIs(async () => (await pendingTask(id)).state, STARTED, {
      what: 'a first attempt within a task',
    })
    worker.temporal.stall()
    return { endpoint, worker, id }
  }
  async function expectOneRecord(id: string): Promise<void> {
    expect(await use.delivery(isSuccess)).to.include({ attempts: 1 })
    await use.workflow(id, ({ status }) => status.name === 'COMPLETED')
    expect(await use.stack.db('attempts').where({ delivery_id: id })).to.have.length(1)
  }

  // decision: A workflow's first attempt is a local activity
  it('makes no second request on the worker that gets the task again', async () => {
    const { endpoint, worker, id } = await onTheWire()
    const task = () => pendingTask(id)
    await until(task, ({ attempt }) => attempt > 1, { withinMs: TAKE_OVER_MS, what: 'a task given up' })
    await worker.temporal.pass()
    await until(task, ({ state, attempt }) => state === STARTED && attempt > 1, {
      withinMs: TAKE_OVER_MS,
      what: 'the task at the worker again',
    })
    endpoint.answerAll(200)
    await expectOneRecord(id)
    expect(endpoint.requests).to.have.length(1)
  })

  async function pendingTask(id: string) {
    const { raw } = (await use.workflow(id))!
    const { attempt = 1, state = 0 } = raw.pendingWorkflowTask ?? {}
    return { attempt: Number(attempt), state: Number(state) }
  }

  // decision: At least once
  // decision: A workflow's first attempt is a local activity
  it('makes a second request on another worker, and one record', async () => {
    const { endpoint, worker, id } = await onTheWire()
    await use.anotherWorker()
    await endpoint.arrived(2)
    endpoint.answer(2, 200)
    await use.delivery(isSuccess)
    endpoint.answer(1, 200)
    await worker.temporal.pass()
    await expectOneRecord(id)
    expect(endpoint.requests).to.have.length(2)
  })
})
