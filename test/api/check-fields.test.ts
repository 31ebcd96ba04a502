import { expect } from 'chai'
import Joi from 'joi'
import { checkFields } from '../../src/api/check-fields.js'
import { createResourceBody } from '../../src/api/schemas-resources.js'
import { createWebhookBody } from '../../src/api/schemas-webhooks.js'
import { RESOURCE_FAMILIES } from '../../src/domain/resources.js'

const WEBHOOK = { name: 'a', url: 'https://example.com/hook', events: ['contact.created'] }

function messageOf(schema: Joi.Schema, value: unknown): string {
  try {
    checkFields(schema, value)
  } catch (error) {
    expect(error).to.have.property('code', 'VALIDATION_ERROR')
    return (error as Error).message
  }
  throw new Error('the value was accepted')
}

describe('messages of refused fields', () => {
  const webhook = createWebhookBody([])

  for (const [what, fields] of [
    ['HTTPS', { url: 'http://example.com/' }],
    ['header "host"', { headers: { host: 'a' } }],
    ['name', { name: '' }],
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
      expect(message).to.have.length.within(100, 510)
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

  it('are whole where they list what is allowed', () => {
    const allowed = Array.from({ length: 13 }, (_, n) => `organization.changed-${n}`)
    const message = messageOf(Joi.object({ event: Joi.valid(...allowed) }), { event: 'a' })
    for (const name of allowed) expect(message).to.include(name)
  })
})
