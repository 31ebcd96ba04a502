// Also on MySQL with direct attempts: it matters who makes the attempt that a crash cuts.
import { expect } from 'chai'
import { deliveryWith, kill } from '../support/crashes.ts'
import { useCrashStack } from '../support/crash-stack.ts'
import { becomeDue } from '../support/due-deliveries.ts'
import { SIGNALS } from '../../src/workflows/contract.ts'
import { untilAtLeast, untilIs } from '../support/poll.ts'
import { publishMany } from '../support/tenants.ts'

describe('crash around a command to a running delivery', function () {
  this.timeout(90_000)
  // A delivery that waits for its next attempt has a workflow, even after a direct first attempt.
  const environment = { DIRECT_RETRIES_WITHIN: '0' }
  const use = useCrashStack({ environment, webhook: { retry_schedule: [600] } })
  beforeEach(() => use.webhook.behave({ status: 500 }))

  /** Publishes, and waits until the first attempt failed and the workflow waits ten minutes for the second. */
  async function backOff(): Promise<string> {
    const { id } = await use.published(({ attempts }) => attempts === 1)
    await use.outbox(id as string, 0)
    return id as string
  }

  const retry = (id: string) => use.webhook.retry(id)

  it('makes one attempt of a retry whose call arrived and is repeated', async () => {
    const worker = await use.worker()
    const id = await backOff()
    worker.temporal.stall('toClient')
    await retry(id)
    // The worker repeats the call after its deadline, so a late check may find more than one call.
    await untilAtLeast(() => countSignals(id), 1, { what: 'the signal in the history' })
    await kill(worker)
    await use.outbox(id, 1)
    const arrived = await countSignals(id)

    await use.worker()
    await use.delivery(({ attempts }) => attempts === 2)
    await use.outbox(id, 0)
    // While a workflow task is open, Temporal keeps a signal out of the history.
    await untilIs(() => countSignals(id), arrived + 1, { what: 'the repeated signal in the history' })
    // The repeated signal is in the history now, so the worker handles it before a delivery published now.
    const [later = ''] = await publishMany(use.tenant, 1)
    await deliveryWith(use.stack, later, ({ attempts }) => attempts === 1)
    expect(use.requests().filter(({ headers }) => headers['webhook-id'] === use.eventId)).to.have.length(2)
    const shown = await use.delivery()
    expect(shown).to.include({ status: 'retrying', attempts: 2, max_attempts: 7 })
  })

  // decision: The signal `retry`
  it('makes one attempt of twenty retry signals that came while no worker was there', async () => {
    const worker = await use.worker()
    const id = await backOff()
    await worker.stop()
    const handle = use.stack.temporal.workflow.getHandle(id)
    for (let sent = 0; sent < 20; sent++) await handle.signal(SIGNALS.retry)
    await use.worker()
    const row = await use.delivery(({ attempts }) => attempts === 2)
    expect(row).to.include({ status: 'retrying', max_attempts: 7, retry_seq: 1, retry_served: 1 })
    await use.outbox(id, 0)
    expect(use.requests()).to.have.length(2)
    expect(await use.stack.db('audit').where({ subject_id: id })).to.have.length(1)
  })

  it('sends out the parked deliveries when the worker died while it resumed the webhook', async () => {
    const worker = await use.worker()
    const id = await backOff()
    await use.webhook.change({ is_active: false })
    await becomeDue(use.stack, [id])
    await use.delivery(({ parked_at }) => parked_at !== null)
    worker.temporal.stall('toServer')
    use.webhook.behave()
    await use.webhook.change({ is_active: true })
    await use.delivery(({ parked_at }) => parked_at === null)
    await kill(worker)
    await use.stack.startWorker()
    await use.delivery(({ status }) => status === 'success')
    expect(use.requests()).to.have.length(2)
  })

  /** How many retries the relay has signalled. */
  async function countSignals(id: string): Promise<number> {
    const events = await use.stack.eventsOf(id)
    const names = events.map((event) => event.workflowExecutionSignaledEventAttributes?.signalName)
    return names.filter((name) => name === SIGNALS.retryNow).length
  }
})
