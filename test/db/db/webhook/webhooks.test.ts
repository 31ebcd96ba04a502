// Also on MySQL with direct attempts: its statements are SQL of ours.
import { expect } from 'chai'
import { listWebhooks, type WebhookFilter } from '../../../../src/db/webhook/lists.ts'
import { changeHealth } from '../../../../src/db/webhook/health-rows.ts'
import * as subscriptions from '../../../../src/db/webhook/subscriptions.ts'
import * as webhooks from '../../../../src/db/webhook/webhooks.ts'
import { HEALTHY } from '../../../../src/domain/webhook/health.ts'
import { foreignTenants } from '../../../support/foreign-tenants.ts'
import { useOperations } from '../../../support/use-operations.ts'
import { insertWebhooks } from '../../../support/webhook-rows.ts'

const NOW = new Date('2026-03-01T00:00:00.000Z')
const PAGE = { page: 1, limit: 10 }

describe('webhooks in the database', () => {
  const its = useOperations()

  const insert = async (fields?: Parameters<typeof its.create>[0]) => (await its.create(fields)).webhook
  const find = (id: string) => webhooks.findWebhook(its.db, its.tenant(), id)
  const update = (id: string, change: webhooks.WebhookChange, owner = its.tenant()) =>
    webhooks.updateWebhook(its.db, owner, id, change, new Date('2026-03-02T00:00:00.000Z'))
  const list = async (page = PAGE, filter: WebhookFilter = {}) => {
    const { items, total } = await listWebhooks(its.db, its.tenant(), page, filter)
    return { ids: items.map(({ id }) => id), total }
  }

  it('are listed, counted, changed, subscribed and deleted by their own tenant alone', async () => {
    const { id } = await insert()
    const sealedSecret = () => webhooks.findSealedSecret(its.db, its.tenant(), id)
    const before = [await find(id), await sealedSecret()]
    for (const other of foreignTenants(its.tenant())) {
      expect((await listWebhooks(its.db, other, PAGE, {})).items).to.deep.equal([])
      expect(await webhooks.countWebhooks(its.db, other)).to.equal(0)
      await update(id, { name: 'theirs', events: ['deal.deleted'], secretSealed: 'theirs' }, other)
      await subscriptions.insertSubscriptions(its.db, other, id, ['forced'])
      await webhooks.markWebhookDeleted(its.db, other, id, NOW)
      for (const tenant of [other, its.tenant()]) {
        const queries = [{ tenant, eventTypes: ['deal.deleted', 'forced'] }]
        expect(await subscriptions.listSubscribers(its.db, queries)).to.deep.equal([])
      }
    }
    expect([await find(id), await sealedSecret()]).to.deep.equal(before)
  })

  it('are listed and counted by whether they are active, and by a text of name or URL, in which nothing is a wildcard', async () => {
    const { id: named } = await insert({ name: '100 % of Contacts', url: 'https://a.example.com/' })
    const { id: placed } = await insert({ name: 'Deals', url: 'https://contacts.example.com/x_y' })
    const found = async (text: string) => new Set((await list(PAGE, { text })).ids)
    expect(await found('CONTACTS')).to.deep.equal(new Set([named, placed]))
    expect(await found('0 % of')).to.deep.equal(new Set([named]))
    expect(await found('x_y')).to.deep.equal(new Set([placed]))
    for (const text of ['100%', 'x.y', 'Dea_s', '\\'])
      expect(await list(PAGE, { text }), text).to.include({ total: 0 })
    const { id: inactive } = await insert({ isActive: false, name: 'Inactive contacts' })
    const filter = { text: 'contacts', isActive: false }
    expect(await list(PAGE, filter)).to.deep.equal({ ids: [inactive], total: 1 })
    expect(await list(PAGE, { isActive: true })).to.include({ total: 2 })
  })

  // decision: Order of webhooks
  it('are listed over all pages with those before the others that fail or that the service deactivated', async () => {
    const [failing, gone, silent, newest] = await insertWebhooks(its.db, its.tenant(), 4, ['deal.created'])
    const fails = { ...HEALTHY, consecutiveFailures: 1, failingSince: NOW }
    // `silent` fails too, but somebody deactivated it, so it does not come first.
    for (const id of [failing, silent]) await changeHealth(its.db, id!, () => fails)
    await its.set('webhooks', { id: silent }, { is_active: false })
    await its.set('webhooks', { id: gone }, { is_active: false, deactivated_reason: 'gone' })
    const pages = [1, 2].map((page) => listWebhooks(its.db, its.tenant(), { page, limit: 2 }, {}, 'unwell'))
    const [first, second] = (await Promise.all(pages)).map(({ items }) => items.map(({ id }) => id))
    expect(new Set(first)).to.deep.equal(new Set([failing, gone]))
    expect(new Set(second)).to.deep.equal(new Set([silent, newest]))
  })

  const subscribers = async (types: string[], owner = its.tenant()) =>
    (await subscriptions.listSubscribers(its.db, [{ tenant: owner, eventTypes: types }])).map(
      ({ webhookId, eventType }) => `${webhookId} ${eventType}`,
    )

  it('get events where they are neither inactive nor deleted, of their own tenant alone', async () => {
    const [inactive, deleted, id] = await insertWebhooks(its.db, its.tenant(), 3, ['deal.created'])
    await its.set('webhooks', { id: inactive }, { is_active: false })
    // As a process of a former release deletes: it leaves the subscriptions.
    await its.set('webhooks', { id: deleted }, { deleted_at: new Date() })
    expect(await subscribers(['deal.created'])).to.deep.equal([`${id} deal.created`])
    const counted = (owner = its.tenant()) =>
      subscriptions.countSubscribers(its.db, owner, ['deal.created', 'task.created'])
    expect(await counted()).to.deep.equal(new Map([['deal.created', 1]]))
    for (const other of foreignTenants(its.tenant())) {
      expect(await subscribers(['deal.created'], other)).to.deep.equal([])
      expect(await counted(other)).to.have.property('size', 0)
    }
  })
})
