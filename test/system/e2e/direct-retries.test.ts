import { expect } from 'chai'
import { outboxRows, rowWith, workflowOf } from '../../support/crashes.ts'
import { hasWorkflow, makersOf } from '../../support/first-attempts.ts'
import { expectSoundRowsOf } from '../../support/invariants.ts'
import type { Json } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'
import { createContact, createTestWebhook, type TestWebhook } from '../../support/webhooks.ts'

// decision: Direct retries
describe('a retry that is due soon after a direct attempt', function () {
  this.timeout(60_000)
  const use = useStack('direct')
  let webhook: TestWebhook
  let id: string
  afterEach(() => expectSoundRowsOf(use))

  const path = () => `/api-v1-webhooks/${webhook.id}`
  const patch = (body: object) => use.tenant.request('PATCH', path(), body)
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

  it('is followed by a workflow that ends as failed when it was the last one', async () => {
    await failed({}, { retry_schedule: [2], max_retries: 1 })
    expect(await untilRow(({ status }) => status === 'failed')).to.include({ attempts: 2, max_attempts: 2 })
    await workflowOf(use.stack, id, ({ status }) => status.name === 'FAILED')
    await expectQuiet(2)
  })

  it('is left to a workflow when the endpoint asks for a longer pause', async () => {
    const behaviour = { status: 503, headers: { 'retry-after': '60' } }
    await failed(behaviour, { retry_schedule: [1] })
    expect(await untilRow(() => true)).to.include({ in_temporal: 1 })
    await workflowOf(use.stack, id)
    await expectQuiet(1)
  })

  it('comes at once by its workflow when somebody asks for it, and only once', async () => {
    await failed({ failTimes: 1 }, { retry_schedule: [8], max_retries: 1 })
    expect((await use.tenant.request('POST', `${path()}/deliveries/${id}/retry`)).status).to.equal(200)
    const row = await untilRow(isSuccess)
    expect(row).to.include({ attempts: 2, max_attempts: 3, retry_seq: 1, retry_served: 1 })
    expect(await makers()).to.deep.equal(['worker', 'workflow'])
    expect(row.delivered_at.getTime() - row.created_at.getTime()).to.be.below(7_000)
    await workflowOf(use.stack, id, ({ status }) => status.name === 'COMPLETED')
    await expectQuiet(2)
  })

  it('is not made once its webhook is deleted', async () => {
    await failed({}, { retry_schedule: [2] })
    await use.tenant.request('DELETE', path())
    expect(await untilRow(({ status }) => status === 'failed')).to.include({
      attempts: 1,
      closed_reason: 'webhook_deleted',
    })
    await expectQuiet(1)
    expect(await hasWorkflow(use.stack, id)).to.equal(false)
  })

  it('waits for the activation after a 410, and then a workflow makes it', async () => {
    await failed({ failTimes: 1, status: 410 }, { retry_schedule: [1] })
    await untilRow(({ parked_at }) => parked_at !== null)
    await expectQuiet(1)
    expect(await hasWorkflow(use.stack, id)).to.equal(false)
    await patch({ is_active: true })
    expect(await untilRow(isSuccess)).to.include({ attempts: 2, in_temporal: 1 })
    expect(await makers()).to.deep.equal(['worker', 'workflow'])
    await expectQuiet(2)
  })
})
