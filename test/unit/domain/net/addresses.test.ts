import { expect } from 'chai'
import * as net from '../../../../src/domain/net/addresses.ts'
import { addressText, addressValue } from '../../../support/address-masks.ts'
import { words } from '../../../support/words.ts'

/** Ranges that are not public, from the registries of IANA. */
const BLOCKED = words(`
  0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
  192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24
  203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 ::/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32
  2002::/16 2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8
`)

/** The first and the last address of a range, by shifting alone. */
function endsOf(range: string): string[] {
  const [text = '', length] = range.split('/')
  const [ipVersion, bits] = text.includes(':') ? ([6, 128] as const) : ([4, 32] as const)
  const size = 1n << BigInt(bits - Number(length))
  const first = addressValue(text)
  return [first, first + size - 1n].map((value) => addressText({ ipVersion, value }, false))
}

const NO_ADDRESSES = words('localhost 1 127.1 8.8.8 8.8.8.8.8 08.8.8.8 0x8.8.8.8 [::1]')
const OTHERS = {
  'what lies within these ranges': words(`
    127.0.0.1 169.254.169.254 192.0.0.9 255.255.255.254 ::1 ::7f00:1 ::8.8.8.8 64:ff9b::808:808 2001::1
    2001:20::1 2002:7f00:1:: fd00::1 fe80::1%eth0 ff02::1
  `),
  'the Azure host agent': ['168.63.129.16', '::ffff:168.63.129.16'],
  'mapped private IPv4': ['::ffff:10.0.0.1', '::ffff:7f00:1', '::FFFF:169.254.169.254'],
  'what is outside 2000::/3': ['1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '4000::1', 'e000::1'],
  'what is no address': ['', ' 8.8.8.8', ...NO_ADDRESSES],
  'a zone id': ['2606:4700::1111%eth0'],
}

const PUBLIC = words(`
  1.0.0.0 1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
  168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.0.3.0
  192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 203.0.112.255 203.0.114.0 223.255.255.255
  ::ffff:8.8.8.8 2000::1 2001:200:: 2001:4860:4860::8888 2001:db7::1 2001:db9::1 2003:: 2606:4700::1111
  3ffe:ffff::1 3fff:1000::
`)

describe('public addresses', () => {
  const ranges = Object.fromEntries(BLOCKED.map((range) => [range, endsOf(range)]))
  for (const [what, addresses] of Object.entries({ ...ranges, ...OTHERS }))
    it(`do not include ${what}`, () => expect(addresses.filter(net.isPublicAddress)).to.deep.equal([]))

  it('include the neighbours of every blocked range', () =>
    expect(PUBLIC.filter((address) => !net.isPublicAddress(address))).to.deep.equal([]))
})

describe('canonicalAddress', () => {
  const SPELLINGS: readonly (readonly [string, string?])[] = [
    ['1.2.3.4', '1.2.3.4'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['::FFFF:0102:0304', '1.2.3.4'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:db8:0:1:0:0:0:1', '2001:db8:0:1::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::1.2.3.4', '::102:304'],
    ['64:ff9b::1.2.3.4', '64:ff9b::102:304'],
    ['::ffff:1.2.3.4%1', '1.2.3.4'],
    ...['', ...words('1.2.3.04 127.1 1 0x7f.0.0.1 1.2.3.4%eth0 [::1]')].map((text) => [text] as const),
  ]
  for (const [text, expected] of SPELLINGS)
    it(`reads ${JSON.stringify(text)} as ${expected ?? 'no address'}`, () =>
      expect(net.canonicalAddress(text)).to.equal(expected))
})

describe('parseAddressRange', () => {
  it('clears host bits and folds mapped ranges into IPv4', () => {
    for (const [text, address, prefixLength] of [
      ['10.0.0.5/8', '10.0.0.0', 8],
      ['::ffff:10.0.0.0/104', '10.0.0.0', 8],
      ['2001:DB8::5/32', '2001:db8::', 32],
      ['::1', '::1', 128],
      ['0.0.0.0/0', '0.0.0.0', 0],
    ] as const)
      expect(net.parseAddressRange(text), text).to.deep.equal({ address, prefixLength })
  })

  const wrong = words(`
    10/8 127.1 1 10.0.0.0/33 ::/129 10.0.0.0/+8 10.0.0.0/08 10.0.0.0/ fe80::1%eth0/64 10.0.0.0/8/8 10.0.0.0/-1
    example.com 0x7f.0.0.1 1.2.3.04/32 ::ffff:1.2.3.4/95
  `)
  for (const text of ['', '10.0.0.0/ 8', ' 10.0.0.0/8', ...wrong])
    it(`refuses ${JSON.stringify(text)}`, () => expect(net.parseAddressRange(text)).to.equal(undefined))

  it('never matches across IP versions and never throws on what is no address', () => {
    const isIpv4 = (text: string) => net.isInRange(text, { address: '0.0.0.0', prefixLength: 0 })
    expect(['::ffff:1.2.3.4', '::1', 'not an address'].filter(isIpv4)).to.deep.equal(['::ffff:1.2.3.4'])
    for (const address of ['::', 'not an address'])
      expect(net.isInRange('1.2.3.4', { address, prefixLength: 0 })).to.equal(false)
  })
})

describe('parseNetworks', () => {
  it('reads addresses and ranges of both IP versions with and without a port', () => {
    const text = '10.1.2.3/8, 127.0.0.1:8443,fd00::/8 ,[fd00::1/128]:65535,[::1],::ffff:10.0.0.0/104'
    const read = net
      .parseNetworks(text)
      .map(({ address, prefixLength, port }) => `${address}/${prefixLength} ${port ?? ''}`)
    expect(net.parseNetworks('  ')).to.deep.equal([])
    const networks = '10.0.0.0/8 ,127.0.0.1/32 8443,fd00::/8 ,fd00::1/128 65535,::1/128 ,10.0.0.0/8 '
    expect(read.join()).to.equal(networks)
  })

  const wrong = words(`
    1 127.1 10/8 0177.0.0.1 0x7f.0.0.1 1.2.3.04 1.2.3.4/33 1.2.3.4/+8 ::/129 1.2.3.4:0 1.2.3.4:65536
    1.2.3.4: 1.2.3.4:+1 1.2.3.4:080 1.2.3.4:8e1 x[::1]:80 [::1]x [1.2.3.4]:80 [::1/128]: [::1 ::1]:80
    fe80::1%eth0 localhost example.com:443 10.0.0.0/8:443:1 *
  `)
  for (const entry of [...wrong, '1.2.3.4/ 8', ''])
    it(`refuses ${JSON.stringify(entry)} and names it`, () =>
      expect(() => net.parseNetworks(`127.0.0.1,${entry},::1`)).to.throw(Error, `"${entry}"`))
})

describe('parsePeerRanges', () => {
  it('reads addresses and ranges of both IP versions', () => {
    expect(net.parsePeerRanges('10.1.2.3/8, fd00::/8')).to.deep.equal([
      { address: '10.0.0.0', prefixLength: 8 },
      { address: 'fd00::', prefixLength: 8 },
    ])
    expect(net.parsePeerRanges(' ')).to.deep.equal([])
  })

  for (const entry of ['127.0.0.1:443', '[::1]:443', '[::1]', '10/8', 'localhost', ''])
    it(`refuses ${JSON.stringify(entry)} and names it`, () =>
      expect(() => net.parsePeerRanges(`127.0.0.1,${entry}`)).to.throw(Error, `"${entry}"`))
})

describe('isInNetworks', () => {
  it('asks for the port only where the network names one, treats mapped IPv6 as IPv4, and never throws', () => {
    const networks = net.parseNetworks('127.0.0.1:8443,10.0.0.0/8')
    const ports = [8443, 443, undefined]
    const at = (address: string) => ports.map((port) => net.isInNetworks(address, port, networks))
    expect([at('127.0.0.1'), at('10.255.0.1')]).to.deep.equal([[true, false, false], Array(3).fill(true)])
    const wide = net.parseNetworks('0.0.0.0/0,fd00::/8')
    expect(net.isInNetworks('::ffff:10.0.0.1', undefined, wide)).to.equal(true)
    const others = ['', 'x', '1', '127.1', '::1', 'fe80::1%eth0']
    expect(others.filter((text) => net.isInNetworks(text, 1, wide))).to.deep.equal([])
  })
})
