import { expect } from 'chai'
import fc from 'fast-check'
import * as texts from '../../../../src/domain/delivery/kept-response.ts'

describe('responseText', () => {
  it('keeps text as it is', () => {
    for (const text of ['', 'ok', '{"a":"žluťoučký 😀"}', '\ufeffbom', 'a'.repeat(texts.STORED_BODY_BYTES)])
      expect(texts.responseText(Buffer.from(text))).to.equal(text)
  })

  // decision: Answers
  it('cuts at 16 KiB on a code point, whatever its width', () => {
    for (const letter of ['a', 'é', '漢', '😀'])
      for (const shift of [0, 1, 2, 3]) {
        const text = texts.responseText(Buffer.from('a'.repeat(shift) + letter.repeat(20_000)))
        expect(text).to.match(new RegExp(`^a*(${letter})*$`, 'u'))
        expect(Buffer.byteLength(text)).to.be.within(texts.STORED_BODY_BYTES - 3, texts.STORED_BODY_BYTES)
      }
  })

  it('shows invalid bytes as U+FFFD, an unfinished end of a whole body too, and drops NUL', () => {
    expect(texts.responseText(Buffer.from([0x61, 0xff, 0x00, 0x62, 0xe2, 0x82]))).to.equal('a\ufffdb\ufffd')
    const parts = [Buffer.alloc(2), Buffer.alloc(texts.STORED_BODY_BYTES - 4, 'a'), Buffer.from([0xe2, 0x82])]
    expect(texts.responseText(Buffer.concat(parts))).to.match(/^a+\ufffd$/)
  })

  it('never throws and never stores more than 16 KiB of well-formed UTF-8', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.integer({ min: 1, max: 2_000 }), (bytes, times) => {
        const text = texts.responseText(Buffer.concat(Array<Uint8Array>(times).fill(bytes)))
        expect(Buffer.byteLength(text)).to.be.at.most(texts.STORED_BODY_BYTES)
        expect(Buffer.from(text).toString('utf8')).to.equal(text)
        expect(text).not.to.contain('\0')
      }),
    )
  })
})

describe('locationText', () => {
  /** The text of a header as Node decodes it, one character per byte. */
  const textOf = (header: string | Uint8Array) =>
    texts.locationText(Buffer.from(header as string).toString('latin1'))

  it('keeps an address as it is, read as UTF-8', () => {
    for (const location of ['', '/elsewhere?a=b#c', 'https://example.com/žluť/😀'])
      expect(textOf(location)).to.equal(location)
  })

  // decision: Location
  it('shows invalid bytes, control characters and marks that change the direction of writing as U+FFFD, and cuts at 2,048 characters, whatever their width', () => {
    const odd = new Uint8Array([0x2f, 0xff, 0x00, 0x09, 0x1b, 0x7f, 0x61, 0xe2, 0x82])
    expect(textOf(odd)).to.equal('/\ufffd\ufffd\ufffd\ufffd\ufffda\ufffd')
    for (const character of ['\u0085', '\u009b', '\u2028', '\u2029', '\u202e', '\u2066'])
      expect(textOf(`/a${character}b`)).to.equal('/a\ufffdb')
    for (const letter of ['a', 'é', '漢', '😀'])
      expect(textOf(letter.repeat(3_000))).to.equal(letter.repeat(2_048))
  })

  it('gives well-formed text of at most 2,048 characters for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.integer({ min: 1, max: 200 }), (bytes, times) => {
        const text = textOf(Buffer.concat(Array<Uint8Array>(times).fill(bytes)))
        expect(Array.from(text).length).to.be.at.most(2_048)
        expect(Buffer.from(text).toString('utf8')).to.equal(text)
        expect(text).not.to.match(/\p{Cc}/u)
      }),
    )
  })
})
