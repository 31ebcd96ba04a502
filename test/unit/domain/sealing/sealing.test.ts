import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { expect } from 'chai'
import fc from 'fast-check'
import {
  parseKeyRing,
  seal,
  startOfSealed,
  SealError,
  unseal,
} from '../../../../src/domain/sealing/sealing.ts'

const newKey = () => randomBytes(32).toString('base64')
const CONTEXT = 'com_1|whk_1'

describe('sealing', () => {
  const first = newKey()
  const second = newKey()
  const ring = parseKeyRing(`new:${first}, old:${second}`)

  it('opens what it sealed, whatever the text and the context', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (text, context) => {
        expect(unseal(ring, seal(ring, text, context), context)).to.equal(text)
      }),
    )
  })

  it('has the form v1.<key id>.<iv>.<tag>.<ciphertext> with a 96-bit IV and a 128-bit tag', () => {
    const [version, keyId, iv = '', tag = '', body = ''] = seal(ring, 'secret', CONTEXT).split('.')
    expect([version, keyId]).to.deep.equal(['v1', 'new'])
    expect([iv, tag, body].map((part) => Buffer.from(part, 'base64url').length)).to.deep.equal([12, 16, 6])
  })

  it('never seals the same text twice to the same bytes', () => {
    const sealed = new Set(Array.from({ length: 100 }, () => seal(ring, 'same', CONTEXT)))
    expect(sealed.size).to.equal(100)
  })

  it('opens with every key of the ring and seals with the first', () => {
    const olderRing = parseKeyRing(`old:${second}`)
    const older = seal(olderRing, 'text', CONTEXT)
    expect(unseal(ring, older, CONTEXT)).to.equal('text')
    expect(older.startsWith(startOfSealed('old'))).to.equal(true)
    expect(seal(ring, 'text', CONTEXT).startsWith(startOfSealed(ring.firstKeyId))).to.equal(true)
  })

  // decision: Encryption at rest
  it('does not open in another context, so a text cannot move to another row', () => {
    expect(() => unseal(ring, seal(ring, 'text', CONTEXT), 'com_1|whk_2')).to.throw(SealError)
  })

  it('does not open with a key that is not in the ring, or another key of the same id', () => {
    const sealed = seal(ring, 'text', CONTEXT)
    expect(() => unseal(parseKeyRing(`old:${second}`), sealed, CONTEXT)).to.throw(SealError)
    expect(() => unseal(parseKeyRing(`new:${second}`), sealed, CONTEXT)).to.throw(SealError)
  })

  it('does not open when any single character was changed, dropped or added', () => {
    const sealed = seal(ring, 'a text to keep', CONTEXT)
    for (let index = 0; index < sealed.length; index += 1) {
      const [before, after] = [sealed.slice(0, index), sealed.slice(index + 1)]
      const other = sealed[index] === 'A' ? 'B' : 'A'
      for (const changed of [before + other + after, before + after, `${before}A${sealed.slice(index)}`]) {
        expect(() => unseal(ring, changed, CONTEXT), changed).to.throw(SealError)
      }
    }
  })

  it('does not open what has another form', () => {
    for (const text of [
      '',
      'plain',
      'v1',
      'v1.new',
      'v1.new...',
      'v2.new.a.b.c',
      `${seal(ring, 'x', CONTEXT)}.`,
    ]) {
      expect(() => unseal(ring, text, CONTEXT), text).to.throw(SealError)
    }
  })

  it('shows no key when a ring is printed', () => {
    const shown = inspect(ring, { depth: 10, showHidden: true }) + JSON.stringify(ring)
    expect(shown).not.to.contain(first)
    expect(shown).not.to.contain(Buffer.from(first, 'base64').toString('hex').slice(0, 8))
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
    ['base64url', `a:${'_'.repeat(43)}=`, 'key "a" must be'],
    ['a repeated id', `a:${key},a:${newKey()}`, 'key id "a" is given twice'],
  ]
  for (const [name, text, message] of BAD) {
    it(`refuses ${name} without repeating the key`, () => {
      let thrown: Error | undefined
      try {
        parseKeyRing(text)
      } catch (error) {
        thrown = error as Error
      }
      expect(thrown?.message).to.contain(message)
      for (const secret of [key, short]) expect(thrown?.message).not.to.contain(secret)
    })
  }
})
