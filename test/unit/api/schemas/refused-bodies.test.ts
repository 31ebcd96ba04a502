import { expect } from 'chai'
import type Joi from 'joi'
import { publishBody } from '../../../../src/api/schemas/events.ts'
import { createResourceBody } from '../../../../src/api/schemas/resources.ts'
import { createWebhookBody } from '../../../../src/api/schemas/webhook-bodies.ts'
import { RESOURCE_FAMILIES } from '../../../../src/domain/event/resources.ts'
import { checkFields } from '../../../../src/domain/fields/check-fields.ts'

const WEBHOOK = { name: 'a', url: 'https://example.com/hooks', events: ['deal.created'] }
const EVENT = { event: 'contact.created', data: { name: 'a' } }
const { contacts, organizations, deals, activities, tasks } = RESOURCE_FAMILIES

/** A body that is right, and changes of it that must each be refused. */
const BODIES: Record<string, [schema: Joi.Schema, right: object, faults: Record<string, object>]> = {
  'a webhook': [
    createWebhookBody([]),
    WEBHOOK,
    {
      'no name': { name: undefined },
      'an empty name': { name: '' },
      'a blank name': { name: '  ' },
      'a name of 256 characters': { name: 'x'.repeat(256) },
      'a name with NUL': { name: 'a\0b' },
      'a name with half a surrogate pair': { name: 'a\ud800' },
      'a null name': { name: null },
      'a description of 2,001 characters': { description: 'x'.repeat(2001) },
      'no events': { events: [] },
      'events that are no list': { events: 'contact.created' },
      'is_active as text': { is_active: 'true' },
      'max_retries as text': { max_retries: '5' },
      'max_retries of 11': { max_retries: 11 },
      'max_retries of -1': { max_retries: -1 },
      'max_retries of 1.5': { max_retries: 1.5 },
      'a header that would break the signature': { headers: { 'Webhook-Signature': 'x' } },
      'a header value with a line break': { headers: { 'X-A': 'a\r\nX-B: b' } },
      'a header value that is no text': { headers: { 'X-A': 1 } },
      'an empty retry schedule': { retry_schedule: [] },
      'a retry schedule of 11 entries': { retry_schedule: Array(11).fill(1) },
      'a retry delay of 0': { retry_schedule: [0] },
      'an unknown field': { colour: 'blue' },
    },
  ],
  'an event': [
    publishBody,
    EVENT,
    {
      'the name of an object method as its type': { event: 'constructor' },
      'an id of test events': { id: 'evt_test_1' },
      'an id without its prefix': { id: 'abc' },
      'an id of 65 characters': { id: `evt_${'a'.repeat(65)}` },
      'an id with a line end': { id: 'evt_a\n' },
    },
  ],
  'a batch': [
    publishBody,
    { events: [EVENT] },
    {
      'no event': { events: [] },
      '101 events': { events: Array(101).fill(EVENT) },
      'a repeated id': { events: ['evt_twice', 'evt_twice'].map((id) => ({ ...EVENT, id })) },
      'no list': { events: 'all' },
      'null for an event': { events: [null] },
    },
  ],
  'a contact': [
    createResourceBody(contacts),
    { name: 'a' },
    {
      'no name': { name: undefined },
      'a number for a text': { name: 1 },
      'a blank name': { name: '   ' },
      'a name with NUL': { name: 'a\0b' },
      'half of a surrogate pair': { name: 'a\ud800' },
      'a name of 256 characters': { name: 'a'.repeat(256) },
      'null for a name': { name: null },
      'no email address': { email: 'nobody' },
      'an array for custom': { custom: [] },
      'an unknown field': { nickname: 'b' },
    },
  ],
  'an organization': [
    createResourceBody(organizations),
    { name: 'a' },
    { 'a scheme': { domain: 'https://a.example' } },
  ],
  'a deal': [
    createResourceBody(deals),
    { name: 'a' },
    {
      'a text for an amount': { amount: '1' },
      'a lower-case currency': { currency: 'eur' },
      'null for a stage': { stage: null },
    },
  ],
  'an activity': [
    createResourceBody(activities),
    { type: 'note', subject: 'a' },
    { 'an unknown type': { type: 'fax' } },
  ],
  'a task': [
    createResourceBody(tasks),
    { name: 'a' },
    {
      'a day that does not exist': { due_at: '2026-02-30T10:00:00Z' },
      'a month that does not exist': { due_at: '2026-13-01T10:00:00Z' },
      'a time without its zone': { due_at: '2026-02-20T10:00:00' },
      '"true" for a boolean': { completed: 'true' },
    },
  ],
}

describe('the rules of request bodies', () => {
  for (const [body, [schema, right, faults]] of Object.entries(BODIES)) {
    it(`pass ${body} that is right`, () => expect(() => checkFields(schema, right)).to.not.throw())

    for (const [what, fault] of Object.entries(faults)) {
      // decision: Values are never coerced
      it(`refuse ${body} with ${what}`, () => {
        expect(() => checkFields(schema, { ...right, ...fault }))
          .to.throw()
          .with.property('code', 'VALIDATION_ERROR')
      })
    }
  }
})
