import { expect } from 'chai'
import { isInNetworks, parseNetworks, parsePeerRanges } from '../../../../src/domain/net/addresses.ts'
import { words } from '../../../support/words.ts'

describe('parseNetworks', () => {
  it('reads addresses and ranges of both IP versions with and without a port', () => {
    const text = '10.1.2.3/8, 127.0.0.1:8443,fd00::/8 ,[fd00::1/128]:65535,[::1],::ffff:10.0.0.0/104'
    const read = parseNetworks(text).map(
      ({ address, prefixLength, port }) => `${address}/${prefixLength} ${port ?? ''}`,
    )
    expect(parseNetworks('  ')).to.deep.equal([])
    expect(read.join()).to.equal(
      '10.0.0.0/8 ,127.0.0.1/32 8443,fd00::/8 ,fd00::1/128 65535,::1/128 ,10.0.0.0/8 ',
    )
  })

  const wrong = words(`
    1 127.1 10/8 0177.0.0.1 0x7f.0.0.1 1.2.3.04 1.2.3.4/33 1.2.3.4/+8 ::/129 1.2.3.4:0 1.2.3.4:65536
    1.2.3.4: 1.2.3.4:+1 1.2.3.4:080 1.2.3.4:8e1 x[::1]:80 [::1]x [1.2.3.4]:80 [::1/128]: [::1 ::1]:80
    fe80::1%eth0 localhost example.com:443 10.0.0.0/8:443:1 *
  `)
  for (const entry of [...wrong, '1.2.3.4/ 8', ''])
    it(`refuses ${JSON.stringify(entry)} and names it`, () =>
      expect(() => parseNetworks(`127.0.0.1,${entry},::1`)).to.throw(Error, `"${entry}"`))
})

describe('parsePeerRanges', () => {
  it('reads addresses and ranges of both IP versions', () => {
    expect(parsePeerRanges('10.1.2.3/8, fd00::/8')).to.deep.equal([
      { address: '10.0.0.0', prefixLength: 8 },
      { address: 'fd00::', prefixLength: 8 },
    ])
    expect(parsePeerRanges(' ')).to.deep.equal([])
  })

  for (const entry of ['127.0.0.1:443', '[::1]:443', '[::1]', '10/8', 'localhost', ''])
    it(`refuses ${JSON.stringify(entry)} and names it`, () =>
      expect(() => parsePeerRanges(`127.0.0.1,${entry}`)).to.throw(Error, `"${entry}"`))
})

describe('isInNetworks', () => {
  it('asks for the port only where the network names one, treats mapped IPv6 as IPv4, and never throws', () => {
    const networks = parseNetworks('127.0.0.1:8443,10.0.0.0/8')
    const ports = [8443, 443, undefined]
    const at = (address: string) => ports.map((port) => isInNetworks(address, port, networks))
    expect([at('127.0.0.1'), at('10.255.0.1')]).to.deep.equal([[true, false, false], Array(3).fill(true)])
    const wide = parseNetworks('0.0.0.0/0,fd00::/8')
    expect(isInNetworks('::ffff:10.0.0.1', undefined, wide)).to.equal(true)
    const others = ['', 'x', '1', '127.1', '::1', 'fe80::1%eth0']
    expect(others.filter((text) => isInNetworks(text, 1, wide))).to.deep.equal([])
  })
})
