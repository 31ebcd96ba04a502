import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { expect } from 'chai'
import fc from 'fast-check'
import * as sealing from '../../../../src/domain/sealing/sealing.ts'
import { words } from '../../../support/words.ts'

const newKey = () => randomBytes(32).toString('base64')
const CONTEXT = 'com_1|whk_1'

describe('sealing', () => {
  const first = newKey()
  const second = newKey()
  const ring = sealing.parseKeyRing(`new:${first}, old:${second}`)

  it('opens what it sealed, whatever the text and the context, in the form v1.<key id>.<iv>.<tag>.<ciphertext>, never twice in the same bytes', () => {
    const sealed = new Set(Array.from({ length: 100 }, () => sealing.seal(ring, 'same', CONTEXT)))
    expect(sealed.size).to.equal(100)
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (text, context) => {
        expect(sealing.unseal(ring, sealing.seal(ring, text, context), context)).to.equal(text)
      }),
    )
    const [version, keyId, iv = '', tag = '', body = ''] = sealing.seal(ring, 'secret', CONTEXT).split('.')
    expect([version, keyId]).to.deep.equal(['v1', 'new'])
    expect([iv, tag, body].map((part) => Buffer.from(part, 'base64url').length)).to.deep.equal([12, 16, 6])
  })

  it('opens with every key of the ring, and seals again under the first what an older one sealed, and nothing else', () => {
    const older = sealing.seal(sealing.parseKeyRing(`old:${second}`), 'text', CONTEXT)
    expect(sealing.unseal(ring, older, CONTEXT)).to.equal('text')
    expect(sealing.startOfSealed('old')).to.equal('v1.old.')
    expect(older.startsWith('v1.old.')).to.equal(true)
    const resealed = sealing.reseal(ring, older, CONTEXT)
    expect(sealing.unseal(sealing.parseKeyRing(`new:${first}`), resealed, CONTEXT)).to.equal('text')
    expect(sealing.reseal(ring, resealed, CONTEXT)).to.equal(resealed)
  })

  // Rows contain texts sealed with these contexts. With a changed context they can no longer be opened.
  it('has contexts of a company and of what belongs to it', () => {
    for (const place of words(
      'whk_1|secret whk_1|headers usr_1|totp mail_1|mail chn_1|target chn_1|secret',
    )) {
      const [id = '', what] = place.split('|')
      expect(sealing.sealContext('com_1', id, what as 'secret')).to.equal(`com_1|${place}`)
    }
    const ofHash = sealing.sealContext('com_1', Buffer.from([0xab, 1]), 'idempotency')
    expect(ofHash).to.equal('com_1|ab01|idempotency')
  })

  it('hashes a text under the first key alone, to 128 bits', () => {
    const hash = sealing.keyedHash(ring, 'text')
    expect(hash).to.match(/^[\w-]{22}$/)
    const hashes = [`new:${first}`, `old:${second}`].map((keys) =>
      sealing.keyedHash(sealing.parseKeyRing(keys), 'text'),
    )
    const others = [...hashes, sealing.keyedHash(ring, 'another')]
    expect(others.map((other) => other === hash)).to.deep.equal([true, false, false])
  })

  // decision: Encryption at rest
  it('does not open in another context, with a key that is not in the ring, or with another key of the same id', () => {
    const sealed = sealing.seal(ring, 'text', CONTEXT)
    expect(() => sealing.unseal(ring, sealed, 'com_1|whk_2'))
      .to.throw(sealing.SealError, 'changed, belongs to another context')
      .with.property('name', 'SealError')
    const openBy = (keys: string) => () => sealing.unseal(sealing.parseKeyRing(keys), sealed, CONTEXT)
    expect(openBy(`old:${second}`)).to.throw(sealing.SealError, 'not in the ring')
    expect(openBy(`new:${second}`)).to.throw(sealing.SealError)
  })

  it('does not open when any single character was changed, dropped or added', () => {
    const sealed = sealing.seal(ring, 'a text to keep', CONTEXT)
    for (let index = 0; index < sealed.length; index += 1) {
      const [before, after] = [sealed.slice(0, index), sealed.slice(index + 1)]
      const other = sealed[index] === 'A' ? 'B' : 'A'
      for (const changed of [before + other + after, before + after, `${before}A${sealed.slice(index)}`])
        expect(() => sealing.unseal(ring, changed, CONTEXT), changed).to.throw(sealing.SealError)
    }
  })

  it('does not open what has another form, and shows no key when a ring is printed', () => {
    const others = ['', `${sealing.seal(ring, 'x', CONTEXT)}.`]
    const message = /not in the (sealed form|ring)\.$/
    for (const text of [...others, ...words('plain v1 v1.new v1.new... v2.new.a.b.c')])
      expect(() => sealing.unseal(ring, text, CONTEXT), text).to.throw(sealing.SealError, message)
    const shown = inspect(ring, { depth: 10, showHidden: true }) + JSON.stringify(ring)
    expect(shown).not.to.contain(first)
    expect(shown).not.to.contain(Buffer.from(first, 'base64').toString('hex').slice(0, 8))
  })
})

describe('a canary', () => {
  const key = newKey()
  const ring = sealing.parseKeyRing(`k1:${newKey()},k2:${key}`)
  const canary = sealing.sealCanary(ring, 'k2')

  it('opens with the key that sealed it, not with another one of the same id, and takes no fault of ours for a wrong key', () => {
    expect(canary.keyId).to.equal('k2')
    expect(sealing.opensCanary(sealing.parseKeyRing(`k2:${key}`), canary)).to.equal(true)
    expect(sealing.opensCanary(sealing.parseKeyRing(`k2:${newKey()}`), canary)).to.equal(false)
    expect(sealing.opensCanary(ring, { ...canary, keyId: 'k1' })).to.equal(false)
    expect(() => sealing.opensCanary(ring, { keyId: 'k2', sealed: null as never })).to.throw(TypeError)
  })
})

describe('parseKeyRing', () => {
  const key = newKey()
  const short = randomBytes(16).toString('base64')
  const BAD: readonly (readonly [string, string, string])[] = [
    ['nothing', '', 'entry 1'],
    ['no id', key, 'entry 1'],
    ['an empty entry', `a:${key},`, 'entry 2'],
    ['a bad id', `a.b:${key}`, 'entry 1'],
    ['a short key', `a:${short}`, 'key "a" must be the base64 of 32 bytes'],
    ['text after the key', `a:${key}A`, 'key "a" must be'],
    ['text before the key', `a:A${key}`, 'key "a" must be'],
    ['base64url', `a:${'_'.repeat(43)}=`, 'key "a" must be'],
    ['a repeated id', `a:${key},a:${newKey()}`, 'key id "a" is given twice'],
  ]
  for (const [name, text, message] of BAD)
    it(`refuses ${name} without repeating the key`, () => {
      const parse = () => sealing.parseKeyRing(text)
      expect(parse).to.throw(message)
      for (const secret of [key, short]) expect(parse).to.not.throw(secret)
    })
})
