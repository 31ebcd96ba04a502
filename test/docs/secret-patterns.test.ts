import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { newApiKey } from '../../src/domain/key/key.ts'
import { newWebhookSecret } from '../../src/domain/webhook/signing.ts'
import { readDocument } from './documents.ts'

/** The pattern in the line of the list that names `what`. */
function patternOf(what: string): RegExp {
  const { text } = readDocument('docs/operating.md')
  const row = text.split('\n').find((line) => line.startsWith(`- ${what}`)) ?? ''
  const [, pattern = ''] = /`([^`]+)`/.exec(row) ?? []
  expect(pattern, what).to.not.equal('')
  return new RegExp(pattern, 'g')
}

const found = (pattern: RegExp, text: string): string[] => text.match(pattern) ?? []

describe('the patterns that docs/operating.md publishes for secret scanners', () => {
  it('find every key of either environment in a text, whole', () => {
    const pattern = patternOf('API key')
    for (const environment of ['live', 'test'] as const) {
      for (let n = 0; n < 100; n++) {
        const key = newApiKey('salesdata', environment)
        expect(found(pattern, `KEY="${key}"\nkey=${key}; Bearer ${key}`)).to.deep.equal([key, key, key])
      }
    }
  })

  it('find every signing secret in a text, whole', () => {
    const pattern = patternOf('signing secret')
    for (let n = 0; n < 100; n++) {
      const secret = newWebhookSecret()
      expect(found(pattern, `{"secret":"${secret}"} ${secret}\n`)).to.deep.equal([secret, secret])
    }
  })

  it('find nothing in prefixes of keys, ids, hashes and words, which are no secrets', () => {
    const key = newApiKey('salesdata', 'live')
    const harmless = [key.slice(0, 24), 'salesdata_live_paste_your_key_here', `whk_${'a'.repeat(36)}`]
    const text = [...harmless, randomBytes(32).toString('hex'), randomBytes(64).toString('base64')].join(' ')
    expect(found(patternOf('API key'), text)).to.deep.equal([])
    expect(found(patternOf('signing secret'), text)).to.deep.equal([])
  })
})
