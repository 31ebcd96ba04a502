import { expect } from 'chai'
import { verdictOf, type Json } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'

/** The id prefix, a smallest body, and the record's other fields. */
const FAMILIES: Record<string, [idPrefix: string, body: object, defaults: object]> = {
  organizations: ['org', { name: 'a' }, { domain: null }],
  contacts: ['con', { name: 'a' }, { email: null, phone: null }],
  deals: ['deal', { name: 'a' }, { stage: 'new', amount: null, currency: null }],
  activities: ['act', { type: 'note', subject: 'a' }, { body: null }],
  tasks: [
    'task',
    { name: 'a', due_at: '2026-03-01T01:30:00+02:00' },
    { due_at: '2026-02-28T23:30:00.000Z', completed: false },
  ],
}

describe('records of the resource families over HTTP', () => {
  const use = useStack('quiet')

  for (const [family, [idPrefix, body, defaults]] of Object.entries(FAMILIES)) {
    const path = `/api-v1-${family}`

    it(`${family}: creates with defaults, and gets and lists what it created, newest first`, async () => {
      const created = await use.tenant.request('POST', path, body)
      expect(created.status).to.equal(201)
      const { id, revision, created_at, updated_at, ...fields } = created.body.data
      expect(id).to.match(new RegExp(`^${idPrefix}_[0-9a-f-]{36}$`))
      expect(fields).to.deep.equal({ ...body, ...defaults, custom: {} })
      expect([revision, updated_at]).to.deep.equal([1, created_at])
      expect((await use.tenant.request('GET', `${path}/${id}`)).body).to.deep.equal(created.body)
      const second = await use.tenant.request('POST', path, body)
      const list = await use.tenant.request('GET', `${path}?limit=1`)
      expect(list.body.pagination).to.deep.equal({ total: 2, limit: 1, page: 1, has_more: true })
      const rest = await use.tenant.request('GET', `${path}?limit=1&page=2`)
      const listed = [...list.body.data, ...rest.body.data].map((item: Json) => item.id as string)
      expect(listed).to.have.members([id, second.body.data.id])
      expect(rest.body.pagination.has_more).to.equal(false)
    })

    if (family !== 'activities') {
      it(`${family}: changes only the given fields, takes back what a GET showed, and deletes once`, async () => {
        const { body: created } = await use.tenant.request('POST', path, { ...body, custom: { a: 1 } })
        const one = `${path}/${created.data.id}`
        const roundTrip = await use.tenant.request('PATCH', one, created.data)
        expect(roundTrip.body).to.deep.equal(created.body ?? created)
        expect((await use.tenant.request('PATCH', one, {})).body).to.deep.equal(created)
        const changed = await use.tenant.request('PATCH', one, { name: 'b' })
        expect(changed.body.data).to.deep.include({ name: 'b', custom: { a: 1 }, revision: 2 })
        const { body: listed } = await use.tenant.request('GET', `${path}?limit=1`)
        expect(listed.data).to.deep.equal([changed.body.data])
        expect((await use.tenant.request('DELETE', one)).body).to.deep.equal({ data: { deleted: true } })
        expect(verdictOf(await use.tenant.request('DELETE', one))).to.equal('404 NOT_FOUND')
        expect(verdictOf(await use.tenant.request('GET', one))).to.equal('404 NOT_FOUND')
      })
    }
  }

  // decision: Who published an event
  it('publishes events that tell which key published them, and how', async () => {
    const ask = async (method: string, path: string, body?: object): Promise<Json> =>
      (await use.tenant.request(method, path, body)).body.data
    const { id } = await ask('POST', '/api-v1-deals', { name: 'a' })
    await ask('PATCH', `/api-v1-deals/${id}`, { stage: 'won' })
    await ask('DELETE', `/api-v1-deals/${id}`)
    const contact = { event: 'contact.created', data: {} }
    await ask('POST', '/api-v1-events', contact)
    await ask('POST', '/api-v1-events', { ...contact, id: 'evt_of-our-own' })
    const listed = await ask('GET', '/api-v1-events?payload=false')
    const read = listed.map(({ id: eventId }: Json) => ask('GET', `/api-v1-events/${eventId}`))
    const publishers = (await Promise.all(read)).map(({ event, published_by }: Json) => [event, published_by])
    const key = { type: 'key', id: use.tenant.keyId, name: 'test key' }
    const ofRecord = ['deal.created', 'deal.stage_changed', 'deal.deleted']
    expect(publishers).to.have.deep.members([
      ...ofRecord.map((event) => [event, { ...key, via: 'record' }]),
      ...Array.from({ length: 2 }, () => [contact.event, { ...key, via: 'event' }]),
    ])
  })
})
