import { expect } from 'chai'
import type Joi from 'joi'
import * as lists from '../../../../src/api/schemas/lists.ts'
import { SchemaWriter } from '../../../../src/api/openapi/json-schema.ts'

const queried = <Query>(schema: Joi.ObjectSchema<Query>, query: object): Query => {
  const { error, value } = schema.validate(query)
  if (error) throw error
  return value
}

describe('the query of a list by cursor', () => {
  it('begins at the newest record without a cursor, with 50 records and their payloads', () => {
    for (const query of [{}, { cursor: '' }]) {
      const part = { limit: 50, cursor: undefined, withPayload: true }
      expect(lists.partOf(queried(lists.eventListQuery, query))).to.deep.equal(part)
    }
    const notices = queried(lists.noticeListQuery, { kind: 'webhook_gone,webhook_failing' })
    expect(notices.kind).to.deep.equal(['webhook_failing', 'webhook_gone'])
    expect(lists.startOf(notices)).to.deep.equal({ limit: 50, cursor: undefined })
    for (const kind of ['most_endpoints_fail', 'webhook_lost'])
      expect(() => queried(lists.noticeListQuery, { kind })).to.throw('"kind" must be one or more of')
  })

  for (const [query, message] of [
    [
      { status: 'failed,lost' },
      '"status" must be one or more of pending, success, retrying, failed, with commas',
    ],
    [{ status: '' }, '"status" is not allowed to be empty'],
    [{ event_type: 'contact.exploded' }, '"event_type" must be one of'],
    [{ event_id: 'x' }, '"event_id" must be the id of an event, evt_…'],
    [{ delivery_id: 'x' }, '"delivery_id" must be the id of a delivery, del_…'],
    [{ response: '1xx' }, '"response" must be one of'],
    [{ created_after: 'yesterday' }, '"created_after" must be an ISO 8601 date and time with its zone'],
    [{ cursor: 'c'.repeat(301) }, '"cursor" length must be less than or equal to 300'],
    [{ q: 'ab' }, '"q" must have at least 3 characters'],
    [{ q: '💥💥' }, '"q" must have at least 3 characters'],
    [{ q: 'a'.repeat(201) }, '"q" must not be longer than 200 characters'],
    [{ q: 'one\ntwo' }, '"q" must not contain control characters'],
    [{ q: '' }, '"q" is not allowed to be empty'],
    [{ record: 'a'.repeat(101) }, '"record" must not be longer than 100 characters'],
    [{ payload: 'no' }, '"payload" must be true or false'],
    [{ limit: '101' }, '"limit" must be less than or equal to 100'],
  ] as const)
    it(`is refused with ${JSON.stringify(query).slice(0, 60)}`, () =>
      expect(() => queried(lists.deliveryListQuery, query)).to.throw(message))
})

describe('the query of a list by page', () => {
  // decision: Pages
  it('begins with the first page of 50, and takes pages up to the millionth', () => {
    expect(queried(lists.webhookListQuery, {})).to.deep.equal({ limit: 50, page: 1 })
    const last = queried(lists.webhookListQuery, { limit: '100', page: '1000000', is_active: 'true' })
    expect(last).to.deep.equal({ limit: 100, page: 1_000_000, is_active: true })
    expect(() => queried(lists.webhookListQuery, { page: '1000001' })).to.throw('1000000')
  })

  // decision: Values are never coerced
  it('takes no value for another', () => {
    const wrong = { limit: ['0', '101', '1e1', '-1', ''], page: ['0', '1.0', ' 2'], is_active: ['1', 'TRUE'] }
    for (const [name, values] of Object.entries(wrong))
      for (const value of values)
        expect(() => queried(lists.webhookListQuery, { [name]: value }), `${name}=${value}`).to.throw(name)
    expect(() => queried(lists.webhookListQuery, { unknown: '1' })).to.throw('unknown')
  })
})

describe('the query of a list in /openapi.json', () => {
  it('shows that a state may be several, and how long a cursor is', () => {
    const keys = new SchemaWriter().writeParameters(lists.deliveryListQuery as Joi.ObjectSchema)
    const [status, cursor] = ['status', 'cursor'].map((name) => keys.find((key) => key.name === name)?.schema)
    const states = { type: 'string', enum: ['pending', 'success', 'retrying', 'failed'] }
    expect(status).to.deep.include({ type: 'array', items: states, minItems: 1 })
    expect(cursor).to.deep.include({ type: 'string', maxLength: 300 })
  })
})
