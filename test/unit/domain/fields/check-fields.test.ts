import { expect } from 'chai'
import Joi from 'joi'
import { checkFields } from '../../../../src/domain/fields/check-fields.ts'
import { publishBody } from '../../../../src/api/schemas/events.ts'
import { createResourceBody } from '../../../../src/api/schemas/resources.ts'
import { createWebhookBody } from '../../../../src/api/schemas/webhook-bodies.ts'
import { RESOURCE_FAMILIES } from '../../../../src/domain/event/resources.ts'

const WEBHOOK = { name: 'a', url: 'https://example.com/hook', events: ['contact.created'] }

function messageOf(schema: Joi.Schema, value: unknown): string {
  try {
    checkFields(schema, value)
  } catch (error) {
    expect(error).to.have.property('code', 'VALIDATION_ERROR')
    expect(error, 'for our log').to.have.property('cause').which.is.an('error')
    return (error as Error).message
  }
  throw new Error('the value was accepted')
}

describe('messages of refused fields', () => {
  const webhook = createWebhookBody([])

  for (const [what, fields] of [
    ['HTTPS', { url: 'http://example.com/' }],
    ['header "host"', { headers: { host: 'a' } }],
    ['"name" must not be blank', { name: ' ' }],
    ['"name" must not contain NUL or unpaired surrogates', { name: 'a\0' }],
    ['"name" must not be longer than 255 characters', { name: 'x'.repeat(256) }],
    ['events', { events: ['contact.exploded'] }],
    ['max_retries', { max_retries: 11 }],
    ['colour', { colour: 'red' }],
  ] as const) {
    it(`name ${what} and end in one full stop`, () => {
      const message = messageOf(webhook, { ...WEBHOOK, ...fields })
      expect(message)
        .to.match(/[^.]\.$/)
        .and.include(what)
    })
  }

  for (const letter of ['a', '🎉']) {
    it(`repeat the beginning of what was sent, not 100,000 times ${letter}`, () => {
      const message = messageOf(webhook, { ...WEBHOOK, [letter.repeat(100_000)]: 1 })
      expect(message).to.have.length.within(100, 500)
      expect(message)
        .to.match(/ is not allowed\.$/)
        .and.not.match(/\p{Surrogate}/u)
    })
  }

  it('say what a currency is and repeat neither it nor our pattern', () => {
    const message = messageOf(createResourceBody(RESOURCE_FAMILIES.deals), {
      name: 'a',
      currency: 'x'.repeat(99_999),
    })
    expect(message).to.equal('"currency" must be the three capital letters of an ISO 4217 code.')
  })

  it('are not cut where they list the permitted values', () => {
    const allowed = Array.from({ length: 13 }, (_, n) => `organization.changed-${n}`)
    const message = messageOf(Joi.object({ event: Joi.valid(...allowed) }), { event: 'a' })
    for (const name of allowed) expect(message).to.include(name)
  })

  it('show the beginning of an unknown event type', () => {
    const message = messageOf(webhook, { ...WEBHOOK, events: ['x'.repeat(200)] })
    expect(message).to.equal(`"events" contains the unknown event type "${'x'.repeat(99)}.`)
  })

  // decision: Values are never coerced
  it('come for every value of another type, whatever it could be read as', () => {
    for (const fields of [{ is_active: 'true' }, { is_active: 1 }, { max_retries: '5' }, { name: 7 }]) {
      expect(messageOf(webhook, { ...WEBHOOK, ...fields })).to.match(
        /^"\w+" must be a (boolean|number|string)\.$/,
      )
    }
  })

  // decision: Messages of refused fields
  it('name every fault of a body, each as a sentence', () => {
    const wrongTypes = { ...WEBHOOK, name: 1, is_active: 'true' }
    expect(messageOf(webhook, wrongTypes)).to.equal('"name" must be a string. "is_active" must be a boolean.')
    const body = {
      url: 'http://example.com/',
      events: ['contact.exploded', 'deal.created', 7],
      colour: 'red',
    }
    expect(messageOf(webhook, body)).to.equal(
      '"name" is required. The URL must use the HTTPS protocol. ' +
        '"events" contains the unknown event type "contact.exploded". "events" contains the unknown event type 7. ' +
        '"colour" is not allowed.',
    )
  })

  // decision: Messages of refused fields
  it('name five faults at most, and how many are left out', () => {
    const unknown = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, 1]))
    const listed =
      '"f0" is not allowed. "f1" is not allowed. "f2" is not allowed. "f3" is not allowed. "f4" is not allowed.'
    expect(messageOf(webhook, { ...WEBHOOK, ...unknown(5) })).to.equal(listed)
    expect(messageOf(webhook, { ...WEBHOOK, ...unknown(6) })).to.equal(`${listed} 1 more fault is not shown.`)
    expect(messageOf(webhook, { ...WEBHOOK, ...unknown(90) })).to.equal(
      `${listed} 85 more faults are not shown.`,
    )
  })

  it('name each header that is not allowed, never its value', () => {
    const headers = { host: 'hunter2', 'a b': 'hunter2', 'X-A': 'hunter2\n', 'X-B': 5, 'X-C': 'c' }
    expect(messageOf(webhook, { ...WEBHOOK, headers })).to.equal(
      'The header "host" is reserved and cannot be set. "a b" is not a valid header name. ' +
        'The value of the header "X-A" holds characters that are not allowed. "headers.X-B" must be a string.',
    )
  })

  // decision: Messages of refused fields
  it('name the unknown event type of an event, and its place in a batch', () => {
    const event = (type: unknown) => ({ event: type, data: {} })
    expect(messageOf(publishBody, event('contact.exploded'))).to.equal(
      '"event" is the unknown event type "contact.exploded".',
    )
    const events = [
      event('deal.created'),
      event('test.webhook'),
      event('task.created'),
      event(null),
      { event: 'x' },
    ]
    expect(messageOf(publishBody, { events })).to.equal(
      '"events[1].event" is the unknown event type "test.webhook". ' +
        '"events[3].event" is the unknown event type null. "events[4].event" is the unknown event type "x". ' +
        '"events[4].data" is required.',
    )
  })

  it('stay within 500 characters and keep short faults whole when long ones are cut', () => {
    const body = {
      ...WEBHOOK,
      name: 1,
      ['x'.repeat(90_000)]: 1,
      ['y'.repeat(90_000)]: 1,
      ['🎉'.repeat(9_000)]: 1,
    }
    const message = messageOf(webhook, body)
    expect(message).to.have.length.within(450, 500)
    expect(message).to.match(/^"name" must be a string\. /)
    expect(message.match(/is not allowed\./g)).to.have.length(3)
    expect(message).to.not.match(/\p{Surrogate}/u)
  })

  // decision: Messages of refused fields
  it('name only the first fault of a body with thousands of values', () => {
    const events = (length: number) => Array.from({ length }, () => 'x')
    const countOf = (message: string) => message.match(/[^.]\.(?= |$)/g)?.length
    expect(countOf(messageOf(webhook, { ...WEBHOOK, name: 1, events: events(1_900) }))).to.equal(6)
    expect(countOf(messageOf(webhook, { ...WEBHOOK, name: 1, events: events(19_000) }))).to.equal(1)
    const deep = Array.from({ length: 2_100 }).reduce<object>((inner) => ({ inner }), {})
    expect(countOf(messageOf(webhook, { ...WEBHOOK, name: 1, deep }))).to.equal(1)
  })
})
