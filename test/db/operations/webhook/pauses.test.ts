import { expect } from 'chai'
import { recordBatch } from '../../../../src/attempts/record-batch.ts'
import { COMMAND_LINE } from '../../../../src/domain/actor.ts'
import { deactivateForBacklog } from '../../../../src/db/system/backlogs.ts'
import { purgePauses } from '../../../../src/db/system/purge.ts'
import { listPauses } from '../../../../src/db/webhook/pauses.ts'
import {
  changeWebhook,
  deleteWebhook,
  type WebhookChangeInput,
} from '../../../../src/operations/webhook/change.ts'
import { answered, insertNewDeliveries, madeAttempt } from '../../../support/made-attempts.ts'
import { useOperations } from '../../../support/use-operations.ts'

const ALWAYS = { since: new Date(0), until: new Date('2100-01-01T00:00:00Z') }

describe('the pauses of a webhook', () => {
  const its = useOperations()
  const { tenant, create } = its
  const db = () => its.db
  const change = (id: string, input: WebhookChangeInput) =>
    changeWebhook(its.deps, tenant(), COMMAND_LINE, id, input)
  /** `open` or `ended`, with the types; the oldest first. */
  const pausesOf = async (id: string): Promise<string[]> =>
    (await listPauses(db(), id, ALWAYS))
      .toReversed()
      .map(({ endsAt, eventTypes }) => `${endsAt ? 'ended' : 'open'} ${eventTypes.join(' ')}`)

  // decision: Missed events
  it('are noted with the event types, from each deactivation to the activation', async () => {
    const { id } = (await create({ events: ['contact.created', 'deal.created'] })).webhook
    expect(await pausesOf(id)).to.deep.equal([])
    await change(id, { isActive: false })
    await change(id, { name: 'another name' })
    expect(await pausesOf(id)).to.deep.equal(['open contact.created deal.created'])
    await change(id, { isActive: true })
    await change(id, { events: ['deal.created'] })
    expect(await pausesOf(id)).to.deep.equal(['ended contact.created deal.created'])
    await change(id, { isActive: false })
    expect(await pausesOf(id)).to.deep.equal(['ended contact.created deal.created', 'open deal.created'])
  })

  it('begin with a webhook that is created inactive, and anew with other event types', async () => {
    const { id } = (await create({ isActive: false })).webhook
    await change(id, { events: ['deal.created'] })
    expect(await pausesOf(id)).to.deep.equal(['ended contact.created', 'open deal.created'])
    await change(id, { events: ['task.created'], isActive: true })
    expect(await pausesOf(id)).to.deep.equal(['ended contact.created', 'ended deal.created'])
    await change(id, { events: ['contact.created'], isActive: false })
    expect((await pausesOf(id)).at(-1)).to.equal('open contact.created')
  })

  it('begin when the service itself deactivates a webhook, once', async () => {
    const { id } = (await create({ events: ['contact.created', 'deal.created'] })).webhook
    expect(await deactivateForBacklog(db(), { webhookId: id, waiting: 5 }, 0)).to.equal(tenant().companyId)
    expect(await deactivateForBacklog(db(), { webhookId: id, waiting: 5 }, 0)).to.equal(undefined)
    const [pause, ...others] = await pausesOf(id)
    expect([pause?.split(' ').sort(), others]).to.deep.equal([
      ['contact.created', 'deal.created', 'open'],
      [],
    ])
    const { total } = (await db()('audit')
      .where({ subject_id: id, action: 'webhook.deactivate' })
      .count({ total: '*' })
      .first()) as { total: number }
    expect(total).to.equal(1)
    expect(await db()('notices').where({ target_id: id, kind: 'webhook_backlog' })).to.have.length(1)
  })

  it('begin when the endpoint answers 410 Gone', async () => {
    const { id: webhookId } = (await create()).webhook
    const [id = ''] = await insertNewDeliveries(its.db, tenant(), webhookId)
    await recordBatch(its.database.batchDb, [madeAttempt(id, webhookId, answered(410))])
    expect(await pausesOf(webhookId)).to.deep.equal(['open contact.created'])
  })

  it('go with the webhook, and once they are old', async () => {
    const { id } = (await create({ isActive: false })).webhook
    const other = (await create({ isActive: false })).webhook.id
    await change(other, { isActive: true })
    await deleteWebhook(its.deps, tenant(), COMMAND_LINE, id)
    expect(await pausesOf(id)).to.deep.equal([])
    await purgePauses(db(), new Date(0), 500)
    expect(await pausesOf(other)).to.have.length(1)
    await purgePauses(db(), ALWAYS.until, 500)
    expect(await pausesOf(other)).to.deep.equal([])
  })
})
