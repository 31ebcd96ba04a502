import { expect } from 'chai'
import fc from 'fast-check'
import { isWellFormedKey, newApiKey, parseAuthorization } from '../../../../src/domain/key/key.ts'

const key = newApiKey('salesdata', 'live')

describe('the Authorization header', () => {
  it('yields the key whatever the case of Bearer and however many spaces follow it', () => {
    for (const value of [`Bearer ${key}`, `bearer ${key}`, `BEARER    ${key}`, `bEaReR  ${key}`])
      expect(parseAuthorization([value]), value).to.deep.equal({ kind: 'key', key })
  })

  it('holds no key when absent, empty, of another scheme, or Bearer alone', () => {
    const none = ['', 'Basic dXNlcjpwYXNz', 'Bearer', 'Bearer  ', key, `Bearer${key}`]
    const lists = [...none, `Bearers ${key}`, ` Bearer ${key}`].map((value) => [value])
    for (const values of [[], ['', ''], ['Basic a', 'Basic b'], ...lists])
      expect(parseAuthorization(values), values.join('|')).to.deep.equal({ kind: 'none' })
  })

  it('is malformed when repeated, whichever of the values is the good one', () => {
    const others = [`Bearer ${key}`, 'Basic dXNlcjpwYXNz', '', 'Bearer x']
    const pairs = others.map((other) => [`Bearer ${key}`, other])
    for (const values of [...pairs, ...pairs.map((pair) => pair.toReversed())])
      expect(parseAuthorization(values), values.join('|')).to.deep.equal({ kind: 'malformed' })
  })

  it('is malformed when the key is not well-formed', () => {
    const keys = [`${key}x`, key.slice(1, -1), key.replace('_live_', '_prod_'), `${key},`, `"${key}"`, 'null']
    keys.push(`${key} `, `${key} ${key}`, `${key}, Bearer ${key}`, `\t${key}`)
    for (const value of [...keys.map((text) => `Bearer ${text}`), `Bearer\t${key}`])
      expect(parseAuthorization([value]), value).to.deep.equal({ kind: 'malformed' })
  })

  it('is malformed beyond 256 characters and read up to there', () => {
    const padded = (length: number) => `Bearer${' '.repeat(length - 6 - key.length)}${key}`
    expect(parseAuthorization([padded(256)])).to.deep.equal({ kind: 'key', key })
    expect(parseAuthorization([padded(257)])).to.deep.equal({ kind: 'malformed' })
  })

  it('never yields anything but a well-formed key, whatever it holds, and never throws', () => {
    const schemes = fc.constantFrom('Bearer ', 'bearer  ', 'Basic ', '')
    const near = fc.tuple(schemes, fc.string()).map((parts) => parts.join(''))
    const good = fc.constant(`Bearer ${key}`)
    // Node decodes a header to one character per byte.
    const bytes = fc.uint8Array().map((values) => Buffer.from(values).toString('latin1'))
    fc.assert(
      fc.property(fc.array(fc.oneof(near, good, bytes), { maxLength: 3 }), (values) => {
        const authorization = parseAuthorization(values)
        if (authorization.kind !== 'key') return
        expect(isWellFormedKey(authorization.key)).to.equal(true)
        expect(values).to.have.length(1)
      }),
    )
  })
})
