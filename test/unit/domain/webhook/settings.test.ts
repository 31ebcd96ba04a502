import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { parseNetworks } from '../../../../src/domain/net/addresses.ts'
import { parseKeyRing } from '../../../../src/domain/sealing/sealing.ts'
import * as settings from '../../../../src/domain/webhook/settings.ts'
import * as webhooks from '../../../../src/domain/webhook/webhook.ts'
import { words } from '../../../support/words.ts'
import { expectSamples, type Samples } from '../../../support/field-rules.ts'

const NEW = { name: 'a', url: 'https://example.com/hook', events: ['contact.created'] }
const namesOf = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${n}`, 'a']))

const FIELDS: Readonly<Record<keyof ReturnType<typeof settings.webhookFields>, Samples>> = {
  name: {
    takes: ['a', 'x'.repeat(255), '😀'.repeat(255)],
    refuses: ['', ' ', 'x'.repeat(256), 'a\0', null],
    inWords: ['a\ud800'],
  },
  description: { takes: ['', null, 'x'.repeat(2_000)], refuses: [' ', 'x'.repeat(2_001), 'a\0', 7] },
  // The tests of checkWebhookUrl and checkWebhookHeaders cover their rules.
  url: {
    takes: [`https://example.com/${'x'.repeat(2_028)}`],
    refuses: ['http://example.com/', 'https://example.com/#a', `https://example.com/${'x'.repeat(2_029)}`],
    inWords: words('https://localhost/ https://10.0.0.1/ https://example.com:22/ https://a..example/'),
  },
  events: {
    takes: [['contact.created'], words('deal.created deal.created'), Array(100).fill('task.created')],
    refuses: [
      ...[[], ['contact.exploded'], ['test.webhook'], [7], 'contact.created'],
      Array(101).fill('task.created'),
    ],
  },
  headers: {
    takes: [{}, { 'x-empty': '' }, namesOf(20), { ['x'.repeat(64)]: 'y'.repeat(4_096) }],
    refuses: [{ host: 'a' }, { 'a b': 'c' }, namesOf(21), null, { a: 1 }, { a: 'b\n' }],
    inWords: [{ a: '1', A: '2' }],
  },
  isActive: { takes: [true, false], refuses: ['true', 1, null] },
  sendTraceparent: { takes: [true, false], refuses: ['true', 1, null] },
  maxRetries: { takes: [0, 5, 10], refuses: [-1, 11, 1.5, '5', null] },
  retrySchedule: {
    takes: [null, [1], [5, 300, 604_800], Array(10).fill(1)],
    refuses: [[], [0], [604_801], [1.5], ['5'], 5, Array(11).fill(1)],
  },
  // The tests of parseFilter cover its rules.
  filter: {
    takes: [null, { 'data.stage': 'won' }, { $or: [{ event: 'a' }, { 'previous.a.b': { $gt: 1 } }] }],
    refuses: [{}, [], 'a', { $where: 'a' }, { id: 1 }, { 'event.a': 1 }, { 'data.': 1 }, { __proto: 1 }],
    inWords: [{ $or: [] }, { 'data.a': {} }, { data: 'x'.repeat(4_096) }],
  },
}

describe('the settings of a webhook', () => {
  for (const [field, rule] of Object.entries(settings.webhookFields([]))) {
    // decision: What the description promises
    // decision: Lengths
    it(`take and refuse as ${field} what /openapi.json says`, () => {
      expectSamples(rule, FIELDS[field as keyof typeof FIELDS])
    })
  }

  it('need a name, a URL and events at first, and nothing in a change', () => {
    const missing = '"name" is required. "url" is required. "events" is required.'
    expect(() => settings.checkNewWebhook({}, [])).to.throw(missing)
    expect(settings.checkWebhookChange({}, [])).to.deep.equal({})
    expect(webhooks.maximumAttempts(5), 'the first one and its retries').to.equal(6)
    const events = words('deal.created contact.created deal.created')
    const once = events.slice(0, 2)
    expect(settings.checkNewWebhook({ ...NEW, events }, [])).to.deep.equal({ ...NEW, events: once })
    expect(settings.checkWebhookChange({ events }, []).events).to.deep.equal(once)
  })

  it('may point to the networks that this operator exempts, and not to those of another', () => {
    const given = { ...NEW, url: 'https://10.0.0.1/' }
    expect(() => settings.checkNewWebhook(given, [])).to.throw('The URL must point to a public address.')
    expect(settings.checkNewWebhook(given, parseNetworks('10.0.0.0/8'))).to.deep.equal(given)
  })

  const keys = parseKeyRing(`k:${randomBytes(32).toString('base64')}`)

  it('are kept with the headers sealed for the webhook, and read back as they were', () => {
    const given = { ...settings.DEFAULT_SETTINGS, ...NEW, headers: { authorization: 'hunter2' } }
    const { headersSealed = null, ...others } = webhooks.sealSettings(keys, 'com_1', 'whk_1', given)
    expect(JSON.stringify(headersSealed)).to.match(/^"v1\.k\./)
    const row = { deactivatedReason: null, version: 1, createdAt: new Date(0), updatedAt: new Date(0) }
    const webhook = { ...others, ...row, id: 'whk_1', headersSealed }
    expect(webhooks.settingsOf(keys, 'com_1', webhook)).to.deep.equal(given)
    expect(webhooks.settingsOf(keys, 'com_1', { ...webhook, headersSealed: null }).headers).to.deep.equal({})
    const moved = { ...webhook, id: 'whk_2' }
    expect(() => webhooks.settingsOf(keys, 'com_2', webhook)).to.throw('another context')
    expect(() => webhooks.settingsOf(keys, 'com_1', moved)).to.throw('another context')
    const bare = webhooks.sealSettings(keys, 'com_1', 'whk_1', { headers: {}, name: 'a' })
    expect(bare).to.deep.equal({ headersSealed: null, name: 'a' })
    expect(webhooks.sealSettings(keys, 'com_1', 'whk_1', { name: 'a' })).to.deep.equal({ name: 'a' })
  })

  it('come with a secret that is sealed for the webhook, and not as its headers are', () => {
    const sealed = webhooks.sealSecret(keys, 'com_1', 'whk_1', 'whsec_a')
    expect(webhooks.openSecret(keys, 'com_1', 'whk_1', sealed)).to.equal('whsec_a')
    expect(() => webhooks.openSecret(keys, 'com_1', 'whk_2', sealed)).to.throw('another context')
    const webhook = { id: 'whk_1', headersSealed: sealed } as Parameters<typeof webhooks.settingsOf>[2]
    expect(() => webhooks.settingsOf(keys, 'com_1', webhook)).to.throw('another context')
  })
})
