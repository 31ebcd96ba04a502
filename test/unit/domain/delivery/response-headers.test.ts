import { expect } from 'chai'
import fc from 'fast-check'
import * as responses from '../../../../src/domain/delivery/kept-response.ts'

const kept = (parsed: responses.ParsedHeaders) => responses.keptHeaders(responses.storedHeaders(parsed))
/** A text as an HTTP parser decodes it: one character per byte. */
const asHeader = (text: string | Uint8Array): string => Buffer.from(text as string).toString('latin1')

// decision: Headers of an answer
describe('the headers of an answer that are kept', () => {
  it('are as they came, several values of a name as one, but never cookies, and leaving these out is no cut', () => {
    const parsed = { 'set-cookie': ['session=1', 'b=2'], 'set-cookie2': 'c=3', server: 'a' }
    expect(kept(parsed)).to.deep.equal({ headers: { server: 'a' }, isCut: false })
    const given = { server: 'nginx', 'x-empty': '', via: ['1.1 a', '1.1 b'], date: undefined }
    const headers = { server: 'nginx', 'x-empty': '', via: '1.1 a, 1.1 b', date: '' }
    expect(kept(given)).to.deep.equal({ headers, isCut: false })
    expect(kept({})).to.deep.equal({ headers: {}, isCut: false })
  })

  it('have names of 64 characters and values of 256 at most, with a mark where they were cut', () => {
    for (const letter of ['a', 'é', '漢', '😀']) {
      const [fits, cut] = [letter.repeat(256), `${letter.repeat(255)}…`]
      expect(kept({ x: asHeader(fits) })).to.deep.equal({ headers: { x: fits }, isCut: false })
      expect(kept({ x: asHeader(fits.repeat(20)) })).to.deep.equal({ headers: { x: cut }, isCut: true })
    }
    const headers = { ['n'.repeat(64)]: '1', [`${'m'.repeat(63)}…`]: '2' }
    expect(kept({ ['n'.repeat(64)]: '1', ['m'.repeat(65)]: '2' })).to.deep.equal({ headers, isCut: true })
  })

  it('leave out what finds no room, keep what still does, and may fill 2 KiB to the last byte', () => {
    const parsed = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`x-${n}`, 'y'.repeat(200)]))
    const { headers, isCut } = kept({ ...parsed, last: 'small' })
    expect(isCut).to.equal(true)
    expect(headers).to.include({ 'x-0': 'y'.repeat(200), last: 'small' })
    expect(headers).to.not.have.property('x-19')
    const most = Object.fromEntries(Array.from('abcdefg', (name) => [name, 'y'.repeat(256)]))
    const full = (last: number) => ({ ...most, h: 'z'.repeat(last) })
    expect(kept(full(156))).to.deep.equal({ headers: full(156), isCut: false })
    expect(kept(full(157))).to.deep.include({ isCut: true })
  })

  it('show invalid bytes, control characters and marks that turn the writing as U+FFFD, and tabs as spaces', () => {
    const parsed = { x: asHeader(new Uint8Array([0x61, 0xff, 0x00, 0x1b, 0x7f, 0x09, 0xc2, 0x85, 0x62])) }
    expect(kept(parsed).headers).to.deep.equal({ x: 'a\ufffd\ufffd\ufffd\ufffd \ufffdb' })
    for (const character of ['\u2028', '\u202e', '\u2066'])
      expect(kept({ x: asHeader(`a${character}b`) }).headers).to.deep.equal({ x: 'a\ufffdb' })
  })

  it('may have any name, also one that means something to JavaScript', () => {
    const parsed = JSON.parse('{"__proto__":"a","constructor":"b"}') as responses.ParsedHeaders
    const { headers } = kept(parsed)
    expect(Object.entries(headers).join(' ')).to.equal('__proto__,a constructor,b')
    expect(Object.getPrototypeOf(headers)).to.equal(Object.prototype)
  })

  it('take 2 KiB of well-formed text without control characters, whatever came', () => {
    const value = fc
      .tuple(fc.uint8Array({ maxLength: 64 }), fc.integer({ min: 1, max: 100 }))
      .map(([bytes, times]) => asHeader(Buffer.concat(Array<Uint8Array>(times).fill(bytes))))
    fc.assert(
      fc.property(fc.array(fc.tuple(value, fc.oneof(value, fc.array(value))), { maxLength: 40 }), (pairs) => {
        const stored = responses.storedHeaders(Object.fromEntries(pairs))
        expect(Buffer.byteLength(stored)).to.be.at.most(responses.STORED_HEADERS_BYTES)
        expect(Buffer.from(stored).toString('utf8')).to.equal(stored)
        expect(stored).not.to.match(/\p{Cc}/u)
        expect(() => responses.keptHeaders(stored)).not.to.throw()
      }),
    )
  })
})
