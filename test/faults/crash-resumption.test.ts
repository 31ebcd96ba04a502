// Also on MySQL with direct attempts: it matters who makes the attempt that a crash cuts.
import { expect } from 'chai'
import { kill, TAKE_OVER_MS } from '../support/crashes.ts'
import { useCrashStack } from '../support/crash-stack.ts'
import { expectSoundRows } from '../support/invariants.ts'
import { until, untilIs } from '../support/poll.ts'
import { useSuspension } from '../support/suspension.ts'
import { type Json, createContact, createTestWebhook, type TestWebhook } from '../support/tenants.ts'

/** More webhooks than one page of the resumption takes. */
const WEBHOOKS = 115
const HELD = 107

describe('crash while a company is resumed', function () {
  this.timeout(120_000)
  const use = useCrashStack({ webhook: { is_active: false } })
  const { suspend, resume, companyId } = useSuspension(use)
  const deliveries = () => use.stack.db('deliveries').where({ company_id: companyId() }) as Promise<Json[]>

  // decision: Suspended companies
  it('sends what was not recorded once, and nothing else, when the worker died on the second page', async () => {
    const webhooks: TestWebhook[] = []
    while (webhooks.length < WEBHOOKS) webhooks.push(await createTestWebhook(use.stack, use.tenant))
    await createContact(use.tenant)
    await suspend()
    const worker = await use.worker()
    const whole = { withinMs: TAKE_OVER_MS }
    const parked = (rows: Json[]) => rows.filter(({ parked_at }) => parked_at !== null).length
    await until(deliveries, (rows) => parked(rows) === WEBHOOKS, { ...whole, what: 'the park' })

    const ids = webhooks.map(({ id }) => id).sort()
    await use.stack.db.transaction(async (holder) => {
      await holder('webhooks').where({ id: ids[HELD]! }).forUpdate()
      await resume()
      // While the page waits for the locked webhook, the worker begins no other page.
      await use.outbox(ids[HELD - 1]!, 1)
      expect(parked(await deliveries())).to.be.at.least(WEBHOOKS - HELD)
      await kill(worker)
    })
    await expectSoundRows(use.stack.db)
    // Attempts that the dead worker had sent but not recorded are open, and are sent again.
    const recorded = (await deliveries()).filter(({ status }) => status === 'success')
    const isRecorded = new Set(recorded.map(({ webhook_id }) => webhook_id))
    const arrivals = () => webhooks.map(({ path }) => use.stack.receiver.requestsTo(path).length)
    const before = arrivals()

    await use.stack.startWorker()
    const isSent = (rows: Json[]) => rows.every(({ status }) => status === 'success')
    await until(deliveries, isSent, { ...whole, what: 'the end of every delivery' })
    const commands = () => use.stack.count('outbox', { company_id: companyId() })
    await untilIs(commands, 0, { ...whole, what: 'the end of every command' })
    const since = arrivals().map((count, index) => count - before[index]!)
    expect(since).to.deep.equal(webhooks.map(({ id }) => (isRecorded.has(id) ? 0 : 1)))
    for (const count of arrivals()) expect(count).to.be.at.least(1)
  })
})
