import { expect } from 'chai'
import { isPlainEvent, publishBody } from '../../../../src/api/schemas/events.ts'
import { checkFields } from '../../../../src/domain/fields/check-fields.ts'

const DATA = { name: 'Ada', nested: { list: [1, null, 'x'] } }

/** Bodies of a publish, each with what the api says of it. */
const BODIES: readonly [what: string, body: object, isPlain: boolean, isValid: boolean][] = [
  ['an event', { event: 'contact.created', data: DATA }, true, true],
  ['an event whose data is empty', { data: {}, event: 'task.completed' }, true, true],
  ['an event with an id', { id: 'evt_1', event: 'contact.created', data: DATA }, false, true],
  ['an event with an id of null', { id: null, event: 'contact.created', data: DATA }, false, false],
  ['an unknown type', { event: 'contact.exploded', data: DATA }, false, false],
  ['the type of test events', { event: 'test.webhook', data: DATA }, false, false],
  ['the name of an object method', { event: 'toString', data: DATA }, false, false],
  ['a list of types', { event: ['contact.created'], data: DATA }, false, false],
  ['data that is a list', { event: 'contact.created', data: [DATA] }, false, false],
  ['data that is null', { event: 'contact.created', data: null }, false, false],
  ['data that is a text', { event: 'contact.created', data: 'Ada' }, false, false],
  ['no data', { event: 'contact.created' }, false, false],
  ['no type', { data: DATA }, false, false],
  ['an unknown field', { event: 'contact.created', data: DATA, extra: 1 }, false, false],
  ['a batch', { events: [{ event: 'contact.created', data: DATA }] }, false, true],
  ['a batch beside an event', { event: 'contact.created', data: DATA, events: [] }, false, false],
]

describe('the short check of a published event', () => {
  for (const [what, body, isPlain, isValid] of BODIES) {
    it(`${isPlain ? 'passes' : 'leaves to the schema'} ${what}`, () => {
      expect(isPlainEvent(body)).to.equal(isPlain)
      const check = () => checkFields(publishBody, body)
      if (isValid) expect(check()).to.deep.equal(body)
      else expect(check).to.throw()
    })
  }
})
