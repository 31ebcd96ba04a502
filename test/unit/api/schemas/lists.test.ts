import { expect } from 'chai'
import type Joi from 'joi'
import * as lists from '../../../../src/api/schemas/lists.ts'
import { SchemaWriter } from '../../../../src/api/openapi/json-schema.ts'
import { newId } from '../../../../src/domain/ids.ts'

const queried = <Query>(schema: Joi.ObjectSchema<Query>, query: object): Query => {
  const { error, value } = schema.validate(query)
  if (error) throw error
  return value
}

describe('the query of a list by cursor', () => {
  const deliveryId = newId('delivery')

  it('asks for deliveries by state, event, answer and time of creation', () => {
    const query = queried(lists.deliveryListQuery, {
      status: 'failed,pending',
      event_type: 'test.webhook',
      event_id: 'evt_1',
      delivery_id: deliveryId,
      response: 'none',
      created_after: '2026-01-05T12:00:00+01:00',
      created_before: '2026-01-06T00:00Z',
      limit: '7',
      cursor: 'c',
      payload: 'false',
    })
    expect(lists.filterOf(query)).to.deep.equal({
      statuses: ['pending', 'failed'],
      eventType: 'test.webhook',
      eventId: 'evt_1',
      deliveryId,
      response: 'none',
      createdAfter: new Date('2026-01-05T11:00Z'),
      createdBefore: new Date('2026-01-06T00:00Z'),
    })
    expect(lists.partOf(query)).to.deep.equal({ limit: 7, cursor: 'c', withPayload: false })
  })

  it('begins at the newest record without a cursor, with 50 records and their payloads', () => {
    for (const query of [{}, { cursor: '' }]) {
      const part = { limit: 50, cursor: undefined, withPayload: true }
      expect(lists.partOf(queried(lists.eventListQuery, query))).to.deep.equal(part)
    }
    const notices = queried(lists.noticeListQuery, { kind: 'webhook_gone,webhook_failing' })
    expect(notices.kind).to.deep.equal(['webhook_failing', 'webhook_gone'])
    expect(lists.startOf(notices)).to.deep.equal({ limit: 50, cursor: undefined })
  })

  for (const [query, message] of [
    [
      { status: 'failed,lost' },
      '"status" must be one or more of pending, success, retrying, failed, with commas between',
    ],
    [{ status: '' }, '"status" is not allowed to be empty'],
    [{ event_type: 'contact.exploded' }, '"event_type" must be one of'],
    [{ event_id: 'x' }, '"event_id" must be the id of an event, evt_…'],
    [{ delivery_id: 'x' }, '"delivery_id" must be the id of a delivery, del_…'],
    [{ response: '1xx' }, '"response" must be one of'],
    [{ created_after: 'yesterday' }, '"created_after" must be an ISO 8601 date and time with its zone'],
    [{ cursor: 'c'.repeat(201) }, '"cursor" length must be less than or equal to 200'],
    [{ payload: 'no' }, '"payload" must be true or false'],
    [{ limit: '101' }, '"limit" must be less than or equal to 100'],
  ] as const) {
    it(`is refused with ${JSON.stringify(query).slice(0, 60)}`, () => {
      expect(() => queried(lists.deliveryListQuery, query)).to.throw(message)
    })
  }
})

describe('the query of a list in /openapi.json', () => {
  it('shows that a state may be several, and how long a cursor is', () => {
    const keys = new SchemaWriter().writeKeys(lists.deliveryListQuery as Joi.ObjectSchema)
    const [status, cursor] = ['status', 'cursor'].map((name) => keys.find((key) => key.name === name)?.schema)
    const states = { type: 'string', enum: ['pending', 'success', 'retrying', 'failed'] }
    expect(status).to.deep.include({ type: 'array', items: states, minItems: 1 })
    expect(cursor).to.deep.include({ type: 'string', maxLength: 200 })
  })
})

describe('the query of the deliveries of a webhook', () => {
  const read = (query: object) => queried(lists.webhookDeliveriesQuery, query)

  it('goes by page with limit, status and payload, and by cursor with anything else', () => {
    const byPage = read({ page: '2', limit: '5', status: 'failed', payload: 'false' })
    expect(byPage).to.deep.equal({ page: 2, limit: 5, status: ['failed'], payload: false })
    expect(lists.isByCursor(byPage)).to.equal(false)
    for (const query of [
      { cursor: '' },
      { event_type: 'deal.created' },
      { event_id: 'evt_1' },
      { delivery_id: newId('delivery') },
      { response: '2xx' },
      { created_after: '2026-01-05T00:00Z' },
      { created_before: '2026-01-05T00:00Z' },
    ]) {
      expect(lists.isByCursor(read(query)), JSON.stringify(query)).to.equal(true)
      expect(() => read({ ...query, page: '1' })).to.throw(
        `"page" goes with limit, status and payload alone, not with ${Object.keys(query)[0]}: leave page out`,
      )
    }
    const mixedUp = { created_after: '2026-01-06T00:00Z', created_before: '2026-01-05T00:00Z' }
    expect(() => read(mixedUp)).to.throw('is earlier than')
    const both = { ...mixedUp, page: '1' }
    expect(() => read(both)).to.throw('not with created_after, created_before:')
  })
})
