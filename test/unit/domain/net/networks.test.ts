import { expect } from 'chai'
import fc from 'fast-check'
import { isInNetworks, parseNetworks, parsePeerRanges } from '../../../../src/domain/net/networks.ts'
import { words } from '../../../support/words.ts'

describe('parseNetworks', () => {
  it('reads addresses and ranges of both IP versions with and without a port', () => {
    expect(
      parseNetworks('10.1.2.3/8, 127.0.0.1:8443,fd00::/8 ,[fd00::1/128]:65535,[::1],::ffff:10.0.0.0/104'),
    ).to.deep.equal([
      { address: '10.0.0.0', prefixLength: 8, port: undefined },
      { address: '127.0.0.1', prefixLength: 32, port: 8443 },
      { address: 'fd00::', prefixLength: 8, port: undefined },
      { address: 'fd00::1', prefixLength: 128, port: 65_535 },
      { address: '::1', prefixLength: 128, port: undefined },
      { address: '10.0.0.0', prefixLength: 8, port: undefined },
    ])
  })

  it('reads blank text as no network', () => {
    expect(parseNetworks('  ')).to.deep.equal([])
  })

  for (const entry of [
    '1.2.3.4/ 8',
    ...words(`
    1 127.1 10/8 0177.0.0.1 0x7f.0.0.1 1.2.3.04 1.2.3.4/33 1.2.3.4/+8 ::/129 1.2.3.4:0 1.2.3.4:65536
    1.2.3.4: 1.2.3.4:+1 1.2.3.4:080 1.2.3.4:8e1 x[::1]:80 [::1]x [1.2.3.4]:80 [::1/128]: [::1 ::1]:80
    fe80::1%eth0 localhost example.com:443 10.0.0.0/8:443:1 *
  `),
  ]) {
    it(`refuses ${JSON.stringify(entry)} and names it`, () => {
      expect(() => parseNetworks(`127.0.0.1,${entry}`)).to.throw(Error, `"${entry}"`)
    })
  }

  it('refuses an empty entry between commas', () => {
    expect(() => parseNetworks('127.0.0.1,,::1')).to.throw('""')
  })
})

describe('parsePeerRanges', () => {
  it('reads addresses and ranges of both IP versions', () => {
    expect(parsePeerRanges('10.1.2.3/8, ::1,fd00::/8')).to.deep.equal([
      { address: '10.0.0.0', prefixLength: 8 },
      { address: '::1', prefixLength: 128 },
      { address: 'fd00::', prefixLength: 8 },
    ])
    expect(parsePeerRanges(' ')).to.deep.equal([])
  })

  for (const entry of ['127.0.0.1:443', '[::1]:443', '[::1]', '10/8', 'localhost', '']) {
    it(`refuses ${JSON.stringify(entry)} and names it`, () => {
      expect(() => parsePeerRanges(`127.0.0.1,${entry}`)).to.throw(Error, `"${entry}"`)
    })
  }
})

describe('isInNetworks', () => {
  it('asks for the port only where the network names one', () => {
    const networks = parseNetworks('127.0.0.1:8443,10.0.0.0/8')
    expect(isInNetworks('127.0.0.1', 8443, networks)).to.equal(true)
    expect(isInNetworks('127.0.0.1', 443, networks)).to.equal(false)
    expect(isInNetworks('127.0.0.1', undefined, networks)).to.equal(false)
    expect(isInNetworks('10.255.0.1', 443, networks)).to.equal(true)
    expect(isInNetworks('10.255.0.1', undefined, networks)).to.equal(true)
  })

  it('treats mapped IPv6 as IPv4', () => {
    expect(isInNetworks('::ffff:10.0.0.1', undefined, parseNetworks('10.0.0.0/8'))).to.equal(true)
  })

  it('never throws, whatever the address and its IP version', () => {
    const networks = parseNetworks('0.0.0.0/0,fd00::/8')
    expect(
      ['', 'x', '1', '127.1', '::1', 'fe80::1%eth0'].filter((text) => isInNetworks(text, 1, networks)),
    ).to.deep.equal([])
  })

  it('equals an independent mask computation for random addresses and ranges', () => {
    const octet = fc.integer({ min: 0, max: 255 })
    const address4 = fc.tuple(octet, octet, octet, octet)
    const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }))
    const address6 = fc.array(group, { minLength: 8, maxLength: 8 })
    const toBigInt = (parts: readonly number[], bits: bigint) =>
      parts.reduce((total, part) => (total << bits) | BigInt(part), 0n)
    const agrees = (a: readonly number[], b: readonly number[], prefixLength: number, isIpv4: boolean) => {
      const [bits, separator, radix, size] = isIpv4
        ? ([8n, '.', 10, 32] as const)
        : ([16n, ':', 16, 128] as const)
      const text = (parts: readonly number[]) => parts.map((part) => part.toString(radix)).join(separator)
      const shift = BigInt(size - prefixLength)
      const expected = toBigInt(a, bits) >> shift === toBigInt(b, bits) >> shift
      const networks = parseNetworks(`${text(b)}/${prefixLength}`)
      expect(isInNetworks(text(a), undefined, networks)).to.equal(expected)
      if (isIpv4) expect(isInNetworks(`::ffff:${text(a)}`, undefined, networks)).to.equal(expected)
    }
    fc.assert(
      fc.property(address4, address4, fc.integer({ min: 0, max: 32 }), (a, b, n) => agrees(a, b, n, true)),
    )
    fc.assert(
      fc.property(address6, address6, fc.integer({ min: 0, max: 128 }), (a, b, n) => {
        // Mapped IPv6 is IPv4 and has its own property above.
        const isMapped = (parts: readonly number[]) =>
          parts.slice(0, 5).every((part) => part === 0) && parts[5] === 0xffff
        fc.pre(!isMapped(a) && !isMapped(b))
        agrees(a, b, n, false)
      }),
    )
  })
})
