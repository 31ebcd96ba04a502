import { expect } from 'chai'
import { outboxRows, rowWith, workflowOf } from '../../support/crashes.ts'
import { currentDetails } from '../../support/current-details.ts'
import { hasWorkflow, makersOf } from '../../support/first-attempts.ts'
import { expectSoundRowsOf } from '../../support/invariants.ts'
import type { Json } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'
import { createContact, createTestWebhook, type TestWebhook } from '../../support/webhooks.ts'

const logMakers = (shown: Json): string[] => shown.attempt_log.map(({ made_by }: Json) => made_by)
describe('a direct attempt', function () {
  this.timeout(60_000)
  const use = useStack('direct')
  afterEach(() => expectSoundRowsOf(use))
  const rowOf = (id: string) => use.stack.db('deliveries').where({ id }).first() as Promise<Json>

  it('that succeeds has no workflow and leaves nothing in the outbox', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant)
    await createContact(use.tenant)
    const { id } = await webhook.delivery('success')
    expect(logMakers(await webhook.detail(id))).to.deep.equal(['worker'])
    expect(await rowOf(id)).to.include({ in_temporal: 0, attempts: 1 })
    expect(await use.stack.db('outbox').where({ subject_id: id })).to.deep.equal([])
    expect(await hasWorkflow(use.stack, id)).to.equal(false)
    expect(use.stack.receiver.requestsTo(webhook.path)).to.have.length(1)
  })

  it('that fails gets a workflow at once when its retry is due later, which operators find and which makes the next attempt', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { retry_schedule: [600] })
    use.stack.receiver.behave(webhook.path, { failTimes: 1, status: 500 })
    await createContact(use.tenant)
    const { id } = await webhook.delivery('retrying')
    const running = await workflowOf(use.stack, id)
    expect(running!.status.name).to.equal('RUNNING')
    const attributes = running!.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value])
    expect(attributes).to.deep.include.members([
      ['WebhookId', webhook.id],
      ['CompanyId', use.tenant.tenant.companyId],
      ['EventType', 'contact.created'],
    ])
    expect(await rowOf(id)).to.include({ in_temporal: 1 })
    await outboxRows(use.stack, id, 0)
    await webhook.retry(id)
    await webhook.delivery('success')
    expect(logMakers(await webhook.detail(id))).to.deep.equal(['worker', 'workflow'])
    await workflowOf(use.stack, id, ({ status }) => status.name === 'COMPLETED')
  })

  // decision: What Temporal shows of a delivery
  it('that fails shows in Temporal why, and when the next attempt is due', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { retry_schedule: [600] })
    use.stack.receiver.behave(webhook.path, { reset: true })
    await createContact(use.tenant)
    const { id } = await webhook.delivery('retrying')
    await workflowOf(use.stack, id)
    const details = await currentDetails(use.stack, id as string)
    expect(details).to.include('Attempts before: 1').and.to.include('Latest result: `connection_reset`')
    const [, dueAt = ''] = /due at (\S+Z)\./.exec(details) ?? []
    const { next_retry_at: planned } = await webhook.detail(id)
    expect(Math.abs(Date.parse(dueAt) - Date.parse(planned as string))).to.be.below(10_000)
  })

  // decision: Direct retries
  describe('a retry that is due soon after it', () => {
    let webhook: TestWebhook
    let id: string

    const untilRow = (isWanted: (row: Json) => boolean): Promise<Json> => rowWith(use.stack, id, isWanted)
    const isSuccess = ({ status }: Json) => status === 'success'
    const makers = () => makersOf(use.stack, id)
    const requests = () => use.stack.receiver.requestsTo(webhook.path)

    /** A delivery whose first attempts fail, so many of them, after the first one. */
    async function failed(behaviour: Json, fields: Json): Promise<void> {
      webhook = await createTestWebhook(use.stack, use.tenant, fields)
      use.stack.receiver.behave(webhook.path, { status: 500, ...behaviour })
      await createContact(use.tenant)
      id = (await webhook.delivery('retrying')).id as string
    }
    /** All is carried out, and nothing more was sent. */
    async function expectQuiet(count: number): Promise<void> {
      await outboxRows(use.stack, id, 0)
      await outboxRows(use.stack, webhook.id, 0)
      expect(requests()).to.have.length(count)
    }

    it('is direct too, so an endpoint that fails for a moment costs no workflow', async () => {
      await failed({ failTimes: 2 }, { retry_schedule: [1] })
      expect(await untilRow(isSuccess)).to.include({ attempts: 3, in_temporal: 0 })
      expect(await makers()).to.deep.equal(['worker', 'worker', 'worker'])
      expect((await webhook.detail(id)).attempt_log.map(({ made_by }: Json) => made_by)).to.deep.equal([
        'worker',
        'worker',
        'worker',
      ])
      await expectQuiet(3)
      expect(await hasWorkflow(use.stack, id)).to.equal(false)
    })

    it('is followed by a workflow when the next one is due too late', async () => {
      await failed({}, { retry_schedule: [1, 600] })
      expect(await untilRow(({ attempts }) => attempts === 2)).to.include({
        status: 'retrying',
        in_temporal: 1,
      })
      expect((await workflowOf(use.stack, id))!.status.name).to.equal('RUNNING')
      expect(await makers()).to.deep.equal(['worker', 'worker'])
      await expectQuiet(2)
    })

    it('comes at once by its workflow when somebody asks for it, and only once', async () => {
      await failed({ failTimes: 1 }, { retry_schedule: [8], max_retries: 1 })
      expect((await webhook.retry(id)).status).to.equal(200)
      const row = await untilRow(isSuccess)
      expect(row).to.include({ attempts: 2, max_attempts: 3, retry_seq: 1, retry_served: 1 })
      expect(await makers()).to.deep.equal(['worker', 'workflow'])
      expect(row.delivered_at.getTime() - row.created_at.getTime()).to.be.below(7_000)
      await workflowOf(use.stack, id, ({ status }) => status.name === 'COMPLETED')
      await expectQuiet(2)
    })
  })
})
