import { expect } from 'chai'
import {
  countSubscribers,
  deleteSubscriptions,
  listSubscribers,
  listSubscriptions,
  replaceSubscriptions,
} from '../../../../src/db/webhook/subscriptions.ts'
import { foreignTenants } from '../../../support/foreign-tenants.ts'
import { insertWebhooks } from '../../../support/webhook-rows.ts'
import { useOperations } from '../../../support/use-operations.ts'

describe('subscriptions in the database', () => {
  const its = useOperations()

  const insert = async (...types: string[]) => (await insertWebhooks(its.db, its.tenant(), 1, types))[0]!
  const subscribers = async (types: string[], owner = its.tenant()) =>
    (await listSubscribers(its.db, [{ tenant: owner, eventTypes: types }])).map(
      ({ webhookId, eventType }) => `${webhookId} ${eventType}`,
    )
  const typesOf = async (id: string, owner = its.tenant()) =>
    (await listSubscriptions(its.db, owner, [id])).get(id)

  it('name a webhook once for each of the types that it subscribes to', async () => {
    const id = await insert('deal.created', 'task.created', 'contact.created')
    await insert('contact.updated')
    expect(await subscribers(['deal.created', 'contact.created', 'deal.deleted'])).to.have.members([
      `${id} contact.created`,
      `${id} deal.created`,
    ])
  })

  it('reach no inactive, no deleted and no foreign webhook', async () => {
    const inactive = await insert('deal.created')
    const deleted = await insert('deal.created')
    const id = await insert('deal.created')
    await its.db('webhooks').where({ id: inactive }).update({ is_active: false })
    // As a process of a former release deletes: it leaves the subscriptions.
    await its.db('webhooks').where({ id: deleted }).update({ deleted_at: new Date() })
    expect(await subscribers(['deal.created'])).to.deep.equal([`${id} deal.created`])
    expect(await countSubscribers(its.db, its.tenant(), ['deal.created', 'task.created'])).to.deep.equal(
      new Map([['deal.created', 1]]),
    )
    for (const other of foreignTenants(its.tenant())) {
      expect(await subscribers(['deal.created'], other)).to.deep.equal([])
      expect(await countSubscribers(its.db, other, ['deal.created'])).to.have.property('size', 0)
    }
  })

  it('tell the attempts that a webhook allows now', async () => {
    const id = await insert('deal.created')
    await its.db('webhooks').where({ id }).update({ max_retries: 9 })
    expect(
      (await listSubscribers(its.db, [{ tenant: its.tenant(), eventTypes: ['deal.created'] }]))[0],
    ).to.include({ maxRetries: 9 })
  })

  it('are shown in the order in which they were given last', async () => {
    const id = await insert('task.created', 'contact.created', 'deal.created')
    expect(await typesOf(id)).to.deep.equal(['task.created', 'contact.created', 'deal.created'])
    await its.db.transaction((trx) =>
      replaceSubscriptions(trx, its.tenant(), id, ['deal.created', 'activity.created', 'task.created']),
    )
    expect(await typesOf(id)).to.deep.equal(['deal.created', 'activity.created', 'task.created'])
    expect(await subscribers(['contact.created'])).to.deep.equal([])
  })

  it('are shown to their own tenant alone, and ended by it alone', async () => {
    const id = await insert('deal.created')
    const sibling = await insert('deal.created')
    for (const other of foreignTenants(its.tenant())) {
      expect(await typesOf(id, other)).to.equal(undefined)
      await deleteSubscriptions(its.db, other, id)
    }
    expect(await typesOf(id)).to.deep.equal(['deal.created'])
    await deleteSubscriptions(its.db, its.tenant(), id)
    expect(await subscribers(['deal.created'])).to.deep.equal([`${sibling} deal.created`])
  })
})
