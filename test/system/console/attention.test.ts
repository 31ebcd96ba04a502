import { expect } from 'chai'
import { databaseNow } from '../../../src/db/clock.ts'
import { toHealthRow } from '../../../src/db/webhook/health-rows.ts'
import { HEALTHY } from '../../../src/domain/webhook/health.ts'
import { make, makeWebhook, useConsole, type ConsoleClient } from '../../support/console.ts'
import { makeNotice } from '../../support/notices.ts'
import type { Json } from '../../support/tenants.ts'
import { insertWebhooks } from '../../support/many-rows.ts'

const DAY_MS = 86_400_000

describe('what an environment shows of all its webhooks at once', () => {
  const its = useConsole()

  const tenantOfTest = () => ({ companyId: its.companyId, environment: 'live' }) as const
  const create = async (client: ConsoleClient, name: string) =>
    (await makeWebhook(its, client, { name, events: ['deal.created', 'contact.created'] })).id
  /** Writes the health of a webhook after three failed attempts in a row, the first of them this long ago. */
  const failed = async (webhookId: string, agoMs: number) => {
    const { db } = its.stack
    const now = await databaseNow(db)
    const failingSince = new Date(now.getTime() - agoMs)
    const health = { ...HEALTHY, consecutiveFailures: 3, failingSince, lastError: 'http_500' }
    await db('webhook_health').insert(toHealthRow(webhookId, health, now))
  }
  const key = async (client: ConsoleClient, days: number | null, more: object = {}): Promise<string> => {
    const expires_at = days === null ? null : new Date(Date.now() + days * DAY_MS).toISOString()
    const body = { name: 'Key', scopes: ['read:all'], type: 'Shared', expires_at, ...more }
    return (await make(client, '/keys', body)).id as string
  }
  const attentionOf = async (client: ConsoleClient): Promise<Json> =>
    (await client.call('GET', '/attention')).body.data
  const ids = (items: Json[]) => items.map(({ id }) => id as string)

  // decision: What needs attention
  it('names those that fail or that the service deactivated, however many newer ones are well', async () => {
    const { client } = await its.person()
    await create(client, 'Well')
    const [waiting, young, old, gone] = [
      await create(client, 'Waiting'),
      await create(client, 'Young'),
      await create(client, 'Old'),
      await create(client, 'Gone'),
    ]
    for (const id of [waiting, young]) await failed(id, 60_000)
    await failed(old, DAY_MS)
    const { db } = its.stack
    await db('webhook_counters').insert({ webhook_id: waiting, shard: 0, retrying: 2 })
    await db('webhooks').where({ id: gone }).update({ is_active: false, deactivated_reason: 'gone' })
    const off = await create(client, 'Switched off')
    await client.call('PATCH', `/webhooks/${off}`, { is_active: false })
    await insertWebhooks(db, { companyId: its.companyId, environment: 'live' }, 101, ['contact.created'])
    const { unwell_webhooks, expiring_keys, ...counts } = await attentionOf(client)
    expect(counts).to.deep.equal({ webhooks: 107, unwell: 4, waiting: 2, open_notices: 0 })
    expect(ids(unwell_webhooks)).to.deep.equal([gone, waiting, old, young])
    expect(unwell_webhooks[3].health).to.include({ state: 'failing', consecutive_failures: 3 })
    expect(expiring_keys).to.deep.equal([])
  })

  it('names keys that work and stop within a week, the first one first', async () => {
    const { client } = await its.person()
    const [sixth, third] = [await key(client, 6), await key(client, 3)]
    await key(client, null)
    await key(client, 8)
    const [disabled, revoked] = [await key(client, 2), await key(client, 2)]
    await client.call('PATCH', `/keys/${disabled}`, { is_active: false })
    await client.call('POST', `/keys/${revoked}/revoke`, {})
    const { client: member } = await its.person('member')
    expect(ids((await attentionOf(member)).expiring_keys)).to.deep.equal([third, sixth])
  })

  it('names every webhook, by name, with the events that it gets', async () => {
    const { client } = await its.person()
    const [second, first] = [await create(client, 'b'), await create(client, 'a')]
    const { data } = (await client.call('GET', '/webhook-names')).body
    expect(ids(data)).to.deep.equal([first, second])
    expect(data[0].name).to.equal('a')
    expect(data[0].events).to.have.members(['contact.created', 'deal.created'])
  })

  it('holds nothing of other companies, and nothing of the other environment', async () => {
    const { client: theirs } = await its.person()
    await failed(await create(theirs, 'Theirs'), 1_000)
    await key(theirs, 1)
    await makeNotice(its.stack.db, tenantOfTest(), 'webhook_gone')
    const counts = { webhooks: 0, unwell: 0, waiting: 0, open_notices: 0 }
    const nothing = { ...counts, unwell_webhooks: [], expiring_keys: [] }
    expect((await theirs.request('GET', theirs.at('/attention', 'test'))).body.data).to.deep.equal(nothing)
    const { companyId } = await its.foreign()
    const { client } = await its.person('admin', { companyId })
    expect(await attentionOf(client)).to.deep.equal(nothing)
    expect((await client.call('GET', '/webhook-names')).body.data).to.deep.equal([])
  })
})
