import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { EVENT_CATALOG, entityOf, EVENT_TYPES, isEventType } from '../../../../src/domain/event/catalog.ts'
import * as events from '../../../../src/domain/event/event.ts'
import { checkEventContext, checkNewRecord, checkRecordChange } from '../../../../src/domain/event/fields.ts'
import { RESOURCE_FAMILIES } from '../../../../src/domain/event/resources.ts'
import { isId, newId } from '../../../../src/domain/ids.ts'

describe('the catalog of events', () => {
  it('lists the types of the specification', () => {
    const types = {
      contact: ['created', 'updated', 'deleted'],
      organization: ['created', 'updated', 'deleted'],
      deal: ['created', 'updated', 'stage_changed', 'deleted'],
      activity: ['created'],
      task: ['created', 'completed'],
    }
    const names = Object.entries(types).flatMap(([family, verbs]) => verbs.map((verb) => `${family}.${verb}`))
    expect(EVENT_TYPES).to.deep.equal(names)
    expect(EVENT_CATALOG.map(({ name }) => name)).to.deep.equal(names)
    expect(EVENT_CATALOG.filter(({ name, entity }) => name.split('.')[0] !== entity)).to.deep.equal([])
    for (const other of ['test.webhook', 'contact', 'toString', 7, null])
      expect(isEventType(other)).to.equal(false)
  })

  for (const { name, description, example } of EVENT_CATALOG)
    it(`says in a sentence what ${name} means, and shows the envelope with a record as the API takes it`, () => {
      expect(description).to.match(/^(An?|The) .*[a-z]\.$/)
      const { data, ...envelope } = example as { data: Record<string, unknown> }
      const { id, revision, created_at, updated_at, ...fields } = data
      const family = Object.values(RESOURCE_FAMILIES).find(({ entity }) => entity === entityOf(name))!
      expect(Object.keys(fields).sort()).to.deep.equal(Object.keys(family.fields).sort())
      expect(() => checkNewRecord(family, fields)).not.to.throw()
      expect(isId(family.entity, String(id)), String(id)).to.equal(true)
      expect(fields['completed']).to.equal({ 'task.created': false, 'task.completed': true }[name as string])
      const isCreation = name.endsWith('.created')
      expect(created_at).to.equal('2026-01-15T09:30:00.000Z')
      expect(updated_at).to.equal(isCreation ? created_at : '2026-01-16T14:05:00.000Z')
      const { id: eventId, previous, ...others } = envelope as Record<string, unknown>
      expect(isId('event', String(eventId))).to.equal(true)
      expect(revision).to.equal(isCreation ? 1 : 2)
      const counted = Number(revision) + (name.endsWith('.deleted') ? 1 : 0)
      const shown = { event: name, created_at: updated_at, subject: id, revision: counted }
      expect(others).to.deep.equal(shown)
      const isChange = /updated|stage_changed|completed/.test(name)
      expect(Object.keys(previous ?? {})).to.have.length(isChange ? 1 : 0)
      for (const [field, former] of Object.entries(previous ?? {})) {
        expect(() => checkRecordChange(family, { [field]: former })).not.to.throw()
        expect(former).to.not.equal(fields[field])
      }
    })
})

describe('an event', () => {
  const now = new Date('2026-01-05T12:00:00.000Z')
  const publish = (data: object, type = 'contact.created', context: events.EventContext = {}) =>
    events.createEvent({ id: 'evt_1', type, data, now, ...context })

  it('has as its body the envelope of the specification, with subject, revision and former values beside its data as given', () => {
    const event = publish({ b: 1, a: 'ž' })
    const head = (type: string) => `{"id":"evt_1","event":"${type}","created_at":"2026-01-05T12:00:00.000Z",`
    expect(event.body.toString()).to.equal(`${head('contact.created')}"data":{"b":1,"a":"ž"}}`)
    expect(event).to.deep.include({ id: 'evt_1', type: 'contact.created', createdAt: now, deliveries: 0 })
    const { body } = publish({ b: 1 }, 'deal.updated', { previous: { b: null }, revision: 7, subject: 'd 1' })
    const rest = '"subject":"d 1","revision":7,"data":{"b":1},"previous":{"b":null}}'
    expect(body.toString()).to.equal(head('deal.updated') + rest)
  })

  // decision: Publishing
  it('is told from another one of the same id by all that it says', () => {
    const previous = [{ previous: {} }, { previous: { a: 1 } }]
    const contexts = [{}, { subject: 'a' }, { subject: '1' }, { revision: 1 }, ...previous]
    const events = contexts.map((context) => publish({ a: 1 }, 'contact.created', context))
    events.push(publish({ a: 2 }), publish({ a: 1 }, 'contact.updated'))
    const fingerprints = events.map(({ fingerprint }) => fingerprint.toString('hex'))
    expect(new Set(fingerprints).size).to.equal(8)
    // Earlier releases computed the fingerprint this way, and events that they stored may be repeated.
    const former = createHash('sha256').update('contact.created\0{"a":1}').digest('hex')
    expect(fingerprints[0]).to.equal(former)
  })

  it('has data and former values of at most 256 KiB each', () => {
    const dataOf = (bytes: number) => ({ a: 'é'.repeat((bytes - 8) / 2) })
    expect(events.EVENT_DATA_LIMIT_BYTES).to.equal(262_144)
    const most = dataOf(events.EVENT_DATA_LIMIT_BYTES)
    const tooMuch = dataOf(events.EVENT_DATA_LIMIT_BYTES + 2)
    expect(() => publish(most, 'contact.updated', { previous: most })).not.to.throw()
    for (const [name, make] of [
      ['data', () => publish(tooMuch)],
      ['previous', () => publish({}, 'contact.updated', { previous: tooMuch })],
    ] as const)
      expect(make)
        .to.throw(`The ${name} of an event must not be larger than 262144 bytes.`)
        .with.property('code', 'VALIDATION_ERROR')
  })

  it('of a test has the type, the version and the data of the specification, and one delivery', () => {
    const event = events.createTestEvent({ id: 'evt_test_1', webhookId: 'whk_1', now })
    const data = { message: 'This is a test event.', webhook_id: 'whk_1' }
    const head = { id: 'evt_test_1', event: 'test.webhook', created_at: now.toISOString() }
    const body = { ...head, api_version: '2025-12-01', data }
    expect(JSON.parse(event.body.toString())).to.deep.equal(body)
    expect(event).to.deep.include({ id: 'evt_test_1', type: 'test.webhook', createdAt: now, deliveries: 1 })
    expect(event.fingerprint).to.have.length(32)
  })
  it('is found by its subject, or without one by the id in its data, where that is a text or a number that fits', () => {
    const [longest, tooLong] = ['😀'.repeat(100), '😀'.repeat(101)]
    for (const [subject, id, record] of [
      ['deal 1', 'deal 2', 'deal 1'],
      [undefined, 'deal 2', 'deal 2'],
      [undefined, 17, '17'],
      [undefined, longest, longest],
      ['deal 1', undefined, 'deal 1'],
      ...[undefined, null, true, {}, tooLong, 'a\0'].map((other) => [undefined, other, undefined]),
    ] as [string | undefined, unknown, string | undefined][])
      expect(publish({ id }, 'deal.updated', { ...(subject && { subject }) }).record).to.equal(record)
  })

  it('may tell a subject of 100 characters, a revision from 1 and former values, and nothing else in their place', () => {
    const context = { subject: '😀'.repeat(100), revision: 1, previous: { any: [null] } }
    for (const right of [{}, context]) expect(checkEventContext(right)).to.deep.equal(right)
    const long = { subject: 'x'.repeat(101) }
    for (const one of [long, { revision: 0 }, { revision: 1.5 }, { previous: [] }, { more: 1 }])
      expect(() => checkEventContext(one), JSON.stringify(one)).to.throw()
  })

  it('is not written 30 s after it was made: a reader of the latest minutes would miss it', () => {
    const [early, late] = [publish({}), { ...publish({}), createdAt: new Date(now.getTime() - 1) }]
    const after = (ms: number) => () => events.refuseLateEvents([early, late], new Date(now.getTime() + ms))
    expect(after(29_999)).not.to.throw()
    const refusal = { code: 'SERVICE_UNAVAILABLE', headers: { 'Retry-After': '5' } }
    expect(after(30_000)).to.throw('publish again').that.deep.includes(refusal)
  })

  it('has as its publisher the key, the user or the operator, or nobody', () => {
    const ids = [newId('apiKey'), newId('user'), 'cli']
    expect(ids.map(events.publisherType)).to.deep.equal(['key', 'user', 'cli'])
    expect(events.publisherOf({ id: 'cli' }, 'record')).to.deep.equal({ id: 'cli', via: 'record' })
    expect(events.publisherOf(undefined, 'event')).to.equal(null)
  })
})
