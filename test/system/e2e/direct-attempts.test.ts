import { expect } from 'chai'
import { outboxRows, workflowOf } from '../../support/crashes.ts'
import { currentDetails } from '../../support/current-details.ts'
import { hasWorkflow } from '../../support/first-attempts.ts'
import { expectSoundRowsOf } from '../../support/invariants.ts'
import type { Json } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'
import { createContact, createTestWebhook } from '../../support/webhooks.ts'

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
    await use.tenant.request('POST', `/api-v1-webhooks/${webhook.id}/deliveries/${id}/retry`)
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
})
