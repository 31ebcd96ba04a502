import { expect } from 'chai'
import Joi from 'joi'
import { checkFields, faultMessage, anyCase } from '../../../../src/domain/fields/rules.ts'
import { createResourceBody } from '../../../../src/api/schemas/resources.ts'
import { createWebhookBody } from '../../../../src/api/schemas/webhook-bodies.ts'
import { RESOURCE_FAMILIES } from '../../../../src/domain/event/resources.ts'
import { camelCased, snakeCase, snakeCased } from '../../../../src/domain/fields/case.ts'

const WEBHOOK = { name: 'a', url: 'https://example.com/hook', events: ['contact.created'] }

/** The error messages for a value, as sentences. */
function refusalOf(schema: Joi.Schema, value: unknown): string {
  try {
    checkFields(schema, value)
  } catch (error) {
    expect(error).to.have.property('code', 'VALIDATION_ERROR')
    expect(error, 'for our log').to.have.property('cause').which.is.an('error')
    return (error as Error).message
  }
  throw new Error('the value was accepted')
}

const sentencesOf = (message: string) => message.split(/(?<=[^.]\.) /)

// decision: Messages of refused fields
describe('messages of refused fields', () => {
  const schema = createWebhookBody([])
  /** The error messages for a webhook with these fields. */
  const saidOf = (fields: object) => refusalOf(schema, { ...WEBHOOK, ...fields })

  for (const [what, fields] of [
    ['"name" must not be blank', { name: ' ' }],
    ['"name" must not contain NUL or unpaired surrogates', { name: 'a\0' }],
    ['"name" must not be longer than 255 characters', { name: 'x'.repeat(256) }],
  ] as const)
    it(`name ${what} and end in one full stop`, () => expect(saidOf(fields)).to.equal(`${what}.`))

  for (const letter of ['a', '🎉'])
    it(`repeat the beginning of what was sent, not 100,000 times ${letter}`, () => {
      const message = saidOf({ [letter.repeat(100_000)]: 1 })
      expect(message).to.have.length.within(100, 500)
      expect(message).to.match(/ is not allowed\.$/)
      expect(message).to.not.match(/\p{Surrogate}/u)
    })

  it('say what a currency is and repeat neither it nor our pattern', () => {
    const deal = { name: 'a', currency: 'x'.repeat(99_999) }
    const message = '"currency" must be the three capital letters of an ISO 4217 code.'
    expect(refusalOf(createResourceBody(RESOURCE_FAMILIES.deals), deal)).to.equal(message)
  })

  it('show the beginning of an unknown event type, and are not cut where they list the permitted values', () => {
    const unknown = saidOf({ events: ['x'.repeat(200)] })
    expect(unknown).to.equal(`"events" contains the unknown event type "${'x'.repeat(99)}.`)
    const allowed = Array.from({ length: 13 }, (_, n) => `organization.changed-${n}`)
    const message = refusalOf(Joi.object({ event: Joi.valid(...allowed) }), { event: 'a' })
    for (const name of allowed) expect(message).to.include(name)
  })

  // decision: Values are never coerced
  it('name every fault of a body, each as a sentence', () => {
    const wrongTypes = { name: 1, is_active: 'true', description: null }
    expect(saidOf(wrongTypes)).to.equal('"name" must be a string. "is_active" must be a boolean.')
    const events = ['contact.exploded', 'deal.created', 7]
    const body = { url: 'http://example.com/', events, colour: 'red' }
    expect(sentencesOf(refusalOf(schema, body))).to.deep.equal([
      '"name" is required.',
      'The URL must use the HTTPS protocol.',
      '"events" contains the unknown event type "contact.exploded".',
      '"events" contains the unknown event type 7.',
      '"colour" is not allowed.',
    ])
  })

  it('name five faults at most, and how many are left out, and only the first of a body with thousands of values', () => {
    const unknown = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, 1]))
    const listed = [0, 1, 2, 3, 4].map((n) => `"f${n}" is not allowed.`)
    const more = [[5], [6, '1 more fault is not shown.'], [90, '85 more faults are not shown.']] as const
    for (const [count, ...rest] of more)
      expect(sentencesOf(saidOf(unknown(count)))).to.deep.equal([...listed, ...rest])
    const faultsOf = (fields: object) => sentencesOf(saidOf({ ...fields, name: 1 })).length
    expect(faultsOf({ events: Array(1_996).fill('x') })).to.equal(6)
    expect(faultsOf({ events: Array(1_997).fill('x') })).to.equal(1)
    const deep = Array.from({ length: 2_100 }).reduce<object>((inner) => ({ inner }), {})
    expect(faultsOf({ deep })).to.equal(1)
  })

  it('name each header that is not allowed, never its value, and the place in a filter', () => {
    const headers = { host: 'hunter2', 'a b': 'hunter2', 'X-A': 'hunter2\n', 'X-B': 5, 'X-C': 'c' }
    expect(sentencesOf(saidOf({ headers }))).to.deep.equal([
      'The header "host" is reserved and cannot be set.',
      '"a b" is not a valid header name.',
      'The value of the header "X-A" holds characters that are not allowed.',
      '"headers.X-B" must be a string.',
    ])
    expect(saidOf({ headers: { 'X-A': '1', 'x-a': '2' } })).to.equal('The header "x-a" is given twice.')
    expect(saidOf({ filter: { id: 1 } })).to.match(/^"filter.id" is no part of an event/)
  })
})

describe('the message of several faults', () => {
  const long = (letter: string) => letter.repeat(1_000)

  it('fills 500 characters: what short faults do not need goes to the long ones', () => {
    for (const faults of [[long('a')], [long('a'), 'short'], ['a'.repeat(248), long('b')]])
      expect(faultMessage(faults)).to.have.length(500)
    expect(faultMessage([long('a'), 'short'])).to.match(/^a+…a+\. short\.$/)
    expect(faultMessage(['a'.repeat(499)])).to.equal(`${'a'.repeat(499)}.`)
    const many = faultMessage(Array.from('abcdefg', long))
    expect(many).to.have.length.within(490, 500)
    expect(many).to.match(/ 2 more faults are not shown\.$/)
  })

  it('is never cut through a character', () => {
    const long = '🎉'.repeat(600)
    for (const fault of [long, `x${long}`, `${long}x`, `${long}xy`])
      for (const faults of [[fault], [fault, 'x'], [fault, 'xx']]) {
        const message = faultMessage(faults)
        expect(message).to.not.match(/\p{Surrogate}/u)
        expect(message).to.have.length.within(490, 500)
      }
  })
})

describe('names of fields', () => {
  it('are snake_case on the wire, whatever they hold, and of headers in any case', () => {
    expect(anyCase('x-1b')).to.equal('[Xx]-1[Bb]')
    expect(snakeCase('retrySchedule')).to.equal('retry_schedule')
    const snake = snakeCased({ isActive: true, maxRetries: { isActive: 1 } })
    expect(snake).to.deep.equal({ is_active: true, max_retries: { isActive: 1 } })
    const camel = camelCased({ is_active: true, max_retries: { is_active: 1 }, x_1: 2 })
    expect(camel).to.deep.equal({ isActive: true, maxRetries: { is_active: 1 }, x_1: 2 })
  })
})
