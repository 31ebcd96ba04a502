import { expect } from 'chai'
import { createTestTenant, verdictOf, type Json } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'

const INVALID = '400 VALIDATION_ERROR'
const PATH = '/api-v1-webhooks'
const NEW = { name: 'Won deals', url: 'https://example.com/hooks', events: ['deal.created'] }
const filter = { 'data.stage': 'won' }

describe('filters over HTTP', () => {
  const use = useStack('proxied')
  const ask = async (method: string, path: string, body?: unknown): Promise<Json> =>
    (await use.tenant.request(method, path, body)).body.data
  const create = (fields: object = {}) => ask('POST', PATH, { ...NEW, filter, ...fields })
  const publish = (stage: string) => ask('POST', '/api-v1-events', { event: 'deal.created', data: { stage } })

  it('are answered where they are set, and removed by null', async () => {
    const created = await create()
    expect(created.filter).to.deep.equal(filter)
    const { id } = created
    expect((await ask('GET', `${PATH}/${id}`)).filter).to.deep.equal(filter)
    expect(await ask('PATCH', `${PATH}/${id}`, { filter: null })).not.to.have.property('filter')
  })

  it('are refused with the place that is wrong, at creation, in a change and in a preview', async () => {
    const { id } = await create()
    const wrong = { filter: { $or: [{ 'data.a': { $where: 'x' } }] } }
    for (const [method, path, body] of [
      ['POST', PATH, { ...NEW, ...wrong }],
      ['PATCH', `${PATH}/${id}`, wrong],
      ['POST', `${PATH}/${id}/filter/preview`, wrong],
    ] as const) {
      const { body: answer } = await use.tenant.request(method, path, body)
      expect(answer.error.message, path).to.contain('"filter.$or[0].data.a.$where" is no operator of a field')
    }
    for (const value of [{}, [], 'a', { id: 1 }, { __proto: 1 }])
      expect(verdictOf(await use.tenant.request('PATCH', `${PATH}/${id}`, { filter: value }))).to.equal(
        INVALID,
      )
    for (const body of [{ limit: 0 }, { limit: 1_001 }, { since: 'yesterday' }, { types: [] }])
      expect(verdictOf(await use.tenant.request('POST', `${PATH}/${id}/filter/preview`, body))).to.equal(
        INVALID,
      )
  })

  it('are tried on real events, and events tell what they did', async () => {
    const { id } = await create()
    const other = await create({ filter: null })
    const [won, lost] = [await publish('won'), await publish('lost')]
    expect([won.deliveries, lost.deliveries]).to.deep.equal([2, 1])
    const preview = (body?: object) => ask('POST', `${PATH}/${id}/filter/preview`, body)
    expect(await preview()).to.include({ examined: 2, matched: 1 })
    expect(await preview({ filter: null })).to.include({ examined: 2, matched: 2 })
    const { examples } = await preview({ filter: { 'data.stage': 'lost' }, limit: 1 })
    expect(examples).to.deep.equal([{ event_id: lost.id, matched: true, because: 'The condition holds.' }])
    const { webhooks, deliveries } = await ask('GET', `/api-v1-events/${lost.id}`)
    expect(webhooks).to.have.deep.members([
      { webhook_id: id, delivery_id: null, reason: 'filter' },
      { webhook_id: other.id, delivery_id: deliveries[0].id, reason: 'delivered_to' },
    ])
    const foreign = await createTestTenant(use.stack.db, use.stack.api.url)
    expect((await foreign.request('POST', `${PATH}/${id}/filter/preview`)).status).to.equal(404)
  })
})
