// Also on MySQL with direct attempts: it matters who makes the attempt that a crash cuts.
import { expect } from 'chai'
import { SIGNALS } from '../../src/workflows/contract.ts'
import { deliveryWith, isSuccess, kill, newEventId, publish, TAKE_OVER_MS } from '../support/crashes.ts'
import { useCrashStack } from '../support/crash-stack.ts'
import { becomeDue, holdInQueue, setDue } from '../support/due-deliveries.ts'
import { untilSomebodyWaitsForLock } from '../support/lock-waits.ts'
import { untilAtLeast, untilThere } from '../support/poll.ts'

describe('a delivery that waits for a free slot', function () {
  this.timeout(120_000)
  // There is one slot. An attempt uses it until the test answers that attempt.
  const use = useCrashStack({
    environment: { WEBHOOK_CONCURRENCY: '1', WEBHOOK_TIMEOUT: '8s' },
    webhook: { retry_schedule: [600], max_retries: 3 },
  })

  /** Two deliveries with a failed first attempt. The first one's second attempt keeps the only slot until `free`. */
  async function occupySlot() {
    const waitingEvent = newEventId()
    use.webhook.behave({ status: 500 })
    const ids: string[] = []
    for (const eventId of [use.eventId, waitingEvent]) {
      await publish(use.tenant, eventId)
      ids.push((await deliveryWith(use.stack, eventId, ({ attempts }) => attempts === 1)).id as string)
    }
    const endpoint = await use.hold()
    await becomeDue(use.stack, ids.slice(0, 1))
    await endpoint.arrived(1)
    await use.webhook.change({ url: use.stack.receiver.url(use.webhook.path) })
    use.webhook.behave()
    return { waitingId: ids[1]!, waitingEvent, free: () => endpoint.answerAll(200) }
  }

  /** The second delivery is due and waits for a slot. `letGo` frees the slot, and the relay wakes the delivery. */
  async function queueOne() {
    const { waitingId, waitingEvent, free } = await occupySlot()
    await becomeDue(use.stack, [waitingId])
    const { letGo } = await holdInQueue(use.stack, waitingId)
    return { waitingId, waitingEvent, letGo: () => (free(), letGo()) }
  }

  async function expectOneAttemptMore(waitingEvent: string, retried: object = {}): Promise<void> {
    const row = await deliveryWith(use.stack, waitingEvent, isSuccess)
    expect(row).to.include({ attempts: 2, max_attempts: 4, ...retried })
    await use.outbox(row.id as string, 0)
    const sent = use.requests().filter(({ headers }) => headers['webhook-id'] === waitingEvent)
    expect(sent).to.have.length(2)
  }

  const countSignals = async (id: string): Promise<number> =>
    (await use.stack.eventsOf(id)).filter((event) => event.workflowExecutionSignaledEventAttributes).length

  it('is attempted when the relay wakes it before its workflow knows that it waits', async () => {
    const { temporal } = await use.worker()
    const { waitingId, waitingEvent, free } = await occupySlot()
    // After a direct attempt the relay starts the workflow a moment later.
    await use.workflow(waitingId)
    await setDue(use.stack, [waitingId])
    // Let the attempt wait for its delivery's row, so that the test can cut the connection before its answer.
    const blocker = await use.stack.db.transaction()
    await blocker('deliveries').where({ id: waitingId }).forUpdate()
    const wakeUp = () => use.stack.temporal.workflow.getHandle(waitingId).signal(SIGNALS.resume)
    await wakeUp()
    await untilSomebodyWaitsForLock(use.stack.db).finally(() => {
      temporal.stall('toServer')
      return blocker.rollback()
    })
    await holdInQueue(use.stack, waitingId)
    // Do what a relay does: claim the row, wake the workflow, remove the row.
    const row = () => use.stack.db('outbox').where({ kind: 'due', subject_id: waitingId })
    await row().update({ lease_owner: 'the test' })
    await wakeUp()
    await row().delete()
    await temporal.pass()
    free()
    await expectOneAttemptMore(waitingEvent)
  })

  it('is attempted once when its worker died after waking it, before the row was gone', async () => {
    const worker = await use.worker()
    const { waitingId, waitingEvent, letGo } = await queueOne()
    const signals = await countSignals(waitingId)
    worker.temporal.stall('toClient')
    await letGo()
    await untilAtLeast(() => countSignals(waitingId), signals + 1, {
      withinMs: TAKE_OVER_MS,
      what: 'the wake-up in the history',
    })
    await kill(worker)
    await use.outbox(waitingId, 1)
    await use.worker()
    await expectOneAttemptMore(waitingEvent)
  })

  it('is attempted in a new run when somebody terminated its workflow', async () => {
    await use.worker()
    const { waitingId, waitingEvent, letGo } = await queueOne()
    const first = await use.workflow(waitingId)
    await use.stack.temporal.workflow.getHandle(waitingId).terminate('by hand')
    await letGo()
    await expectOneAttemptMore(waitingEvent)
    expect((await use.workflow(waitingId))!.runId).to.not.equal(first!.runId)
  })

  it('is attempted once, with one attempt more to spend, when somebody retries it by hand', async () => {
    await use.worker()
    const { waitingId, waitingEvent, letGo } = await queueOne()
    expect((await use.webhook.retry(waitingId)).status).to.equal(200)
    await untilThere(() => use.stack.db('outbox').where({ kind: 'retry', subject_id: waitingId }), 0, {
      what: 'the retry at its workflow',
    })
    await letGo()
    await expectOneAttemptMore(waitingEvent, { max_attempts: 5, retry_seq: 1, retry_served: 1 })
  })
})
