import { expect } from 'chai'
import { currentDetails, isSuccess, outboxRows, rowWith, workflowOf } from '../../support/crashes.ts'
import { hasWorkflow, makersOf } from '../../support/first-attempts.ts'
import { useHeldDeliveries, type HeldEndpoint } from '../../support/stack-endpoints.ts'
import { expectSoundRowsOf } from '../../support/invariants.ts'
import { type Json, deliver, type TestWebhook } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'

describe('a direct attempt', function () {
  this.timeout(60_000)
  const use = useStack('direct')
  afterEach(() => expectSoundRowsOf(use))

  // decision: What Temporal shows of a delivery
  it('that fails gets a workflow at once when its retry is due later, which tells operators why, and makes the next attempt', async () => {
    const { webhook, id, shown } = await deliver(use, 'retrying', { retry_schedule: [600] }, { failTimes: 1 })
    const running = await workflowOf(use.stack, id)
    expect(running!.status.name).to.equal('RUNNING')
    const attributes = running!.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value])
    expect(attributes).to.deep.include.members([
      ['WebhookId', webhook.id],
      ['CompanyId', use.tenant.tenant.companyId],
      ['EventType', 'contact.created'],
    ])
    await outboxRows(use.stack, id, 0)
    const details = await currentDetails(use.stack, id)
    expect(details).to.include('Attempts before: 1').and.to.include('Latest result: `http_500`')
    const [, dueAt = ''] = /due at (\S+Z)\./.exec(details) ?? []
    expect(Date.parse(dueAt)).to.be.closeTo(Date.parse(shown.next_retry_at), 10_000)
    await webhook.retry(id)
    expect(await rowWith(use.stack, id, isSuccess)).to.include({ in_temporal: 1 })
    expect(await makersOf(use.stack, id)).to.deep.equal(['worker', 'workflow'])
    await workflowOf(use.stack, id, ({ status }) => status.name === 'COMPLETED')
  })

  // decision: Direct retries
  describe('a retry that is due soon after it', () => {
    /** Expects that all commands are carried out, and that exactly these attempts were made, all in this way. */
    async function expectMade({ webhook, id }: Awaited<ReturnType<typeof deliver>>, makers: string[]) {
      await outboxRows(use.stack, id, 0)
      await outboxRows(use.stack, webhook.id, 0)
      const { attempt_log: log } = await webhook.detail(id)
      expect(log.map(({ made_by: maker }: Json) => maker)).to.deep.equal(makers)
      expect(webhook.requests()).to.have.length(makers.length)
    }

    it('is direct too, so an endpoint that fails for a moment costs no workflow', async () => {
      const sent = await deliver(use, 'retrying', { retry_schedule: [1] }, { failTimes: 2 })
      expect(await rowWith(use.stack, sent.id, isSuccess)).to.include({ attempts: 3, in_temporal: 0 })
      await expectMade(sent, ['worker', 'worker', 'worker'])
      expect(await hasWorkflow(use.stack, sent.id)).to.equal(false)
    })

    it('comes at once by its workflow when somebody asks for it, and only once', async () => {
      const fields = { retry_schedule: [8], max_retries: 1 }
      const sent = await deliver(use, 'retrying', fields, { failTimes: 1 })
      expect((await sent.webhook.retry(sent.id)).status).to.equal(200)
      const row = await rowWith(use.stack, sent.id, isSuccess)
      expect(row).to.include({ attempts: 2, max_attempts: 3, retry_seq: 1, retry_served: 1 })
      await workflowOf(use.stack, sent.id, ({ status }) => status.name === 'COMPLETED')
      await expectMade(sent, ['worker', 'workflow'])
    })
  })
})

describe('while a direct attempt is on the wire', function () {
  this.timeout(60_000)
  const use = useStack('direct')
  const deliverHeld = useHeldDeliveries(use)
  let endpoint: HeldEndpoint
  let webhook: TestWebhook
  let id: string

  const retry = async () => expect((await webhook.retry(id)).status).to.equal(200)
  const untilRow = (isWanted: (row: Json) => boolean): Promise<Json> => rowWith(use.stack, id, isWanted)
  const makers = () => makersOf(use.stack, id)

  async function send(fields: Record<string, unknown> = {}): Promise<void> {
    ;({ endpoint, webhook, id } = await deliverHeld({ retry_schedule: [600], ...fields }))
  }
  /** Expects that all commands are carried out and no further attempt was sent. */
  async function expectQuiet(requests: number): Promise<void> {
    await outboxRows(use.stack, id, 0)
    await outboxRows(use.stack, webhook.id, 0)
    expect(endpoint.requests).to.have.length(requests)
    await expectSoundRowsOf(use)
  }
  afterEach(() => webhook.remove())

  it('a retry, asked for twice, is served once, by its workflow, after the failure', async () => {
    await send({ max_retries: 1 })
    await retry()
    await retry()
    endpoint.answer(1, 500)
    await endpoint.arrived(2)
    endpoint.answer(2, 500)
    const row = await untilRow(({ attempts }) => attempts === 2)
    expect(row).to.include({ status: 'retrying', max_attempts: 3, in_temporal: 1 })
    expect(row.retry_served).to.equal(row.retry_seq)
    await expectQuiet(2)
    expect(await makers()).to.deep.equal(['worker', 'workflow'])
  })

  it('a retry of the only attempt keeps the delivery open and makes exactly one more', async () => {
    await send({ max_retries: 0 })
    await retry()
    endpoint.answer(1, 500)
    await endpoint.arrived(2)
    endpoint.answer(2, 500)
    expect(await untilRow(({ status }) => status === 'failed')).to.include({ attempts: 2, max_attempts: 2 })
    await workflowOf(use.stack, id, ({ status }) => status.name === 'FAILED')
    await expectQuiet(2)
  })

  it('a retry is not needed any more when that attempt succeeds', async () => {
    await send()
    await retry()
    endpoint.answer(1, 200)
    expect(await untilRow(({ status }) => status === 'success')).to.include({ attempts: 1 })
    await expectQuiet(1)
    expect(await hasWorkflow(use.stack, id)).to.equal(false)
  })

  for (const [answer, status, reason] of [
    [500, 'failed', 'webhook_deleted'],
    [200, 'success', null],
  ] as const)
    // decision: Deleted
    it(`a deletion of the webhook waits for its outcome, and nothing is sent after it (${answer})`, async () => {
      await send()
      await webhook.remove()
      endpoint.answer(1, answer)
      const row = await untilRow((now) => now.status === status)
      expect(row).to.include({ attempts: 1, closed_reason: reason })
      await expectQuiet(1)
      if (await hasWorkflow(use.stack, id))
        await workflowOf(use.stack, id, (workflow) => workflow.status.name === 'CANCELLED')
    })
})
