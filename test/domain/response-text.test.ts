import { expect } from 'chai'
import fc from 'fast-check'
import { responseText, STORED_BODY_BYTES } from '../../src/domain/response-text.js'

describe('responseText', () => {
  it('keeps text as it is', () => {
    for (const text of ['', 'ok', '{"a":"žluťoučký 😀"}', '\ufeffbom', 'a'.repeat(STORED_BODY_BYTES)]) {
      expect(responseText(Buffer.from(text))).to.equal(text)
    }
  })

  it('cuts at 16 KiB on a code point, whatever its width', () => {
    for (const letter of ['a', 'é', '漢', '😀']) {
      for (const shift of [0, 1, 2, 3]) {
        const text = responseText(Buffer.from('a'.repeat(shift) + letter.repeat(20_000)))
        expect(text).to.match(new RegExp(`^a*(${letter})*$`, 'u'))
        expect(Buffer.byteLength(text)).to.be.within(STORED_BODY_BYTES - 3, STORED_BODY_BYTES)
      }
    }
  })

  it('shows invalid bytes as U+FFFD, an unfinished end of a whole body too, and drops NUL', () => {
    expect(responseText(Buffer.from([0x61, 0xff, 0x00, 0x62, 0xe2, 0x82]))).to.equal('a\ufffdb\ufffd')
  })

  it('never throws and never stores more than 16 KiB of well-formed UTF-8', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.integer({ min: 1, max: 2_000 }), (bytes, times) => {
        const text = responseText(Buffer.concat(Array<Uint8Array>(times).fill(bytes)))
        expect(Buffer.byteLength(text)).to.be.at.most(STORED_BODY_BYTES)
        expect(Buffer.from(text).toString('utf8')).to.equal(text)
        expect(text).not.to.contain('\0')
      }),
    )
  })
})
