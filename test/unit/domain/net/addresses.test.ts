import { expect } from 'chai'
import {
  canonicalAddress,
  isInRange,
  isPublicAddress,
  parseAddressRange,
} from '../../../../src/domain/net/addresses.ts'
import { words } from '../../../support/words.ts'

/** Each range with its first and last address. */
const BLOCKED: Record<string, readonly string[]> = {
  '0.0.0.0/8': ['0.0.0.0', '0.255.255.255'],
  '10.0.0.0/8': ['10.0.0.0', '10.255.255.255'],
  '100.64.0.0/10': ['100.64.0.0', '100.127.255.255'],
  '127.0.0.0/8': ['127.0.0.0', '127.0.0.1', '127.255.255.255'],
  '169.254.0.0/16': ['169.254.0.0', '169.254.169.254', '169.254.255.255'],
  '172.16.0.0/12': ['172.16.0.0', '172.31.255.255'],
  '192.0.0.0/24': ['192.0.0.0', '192.0.0.9', '192.0.0.255'],
  '192.0.2.0/24': ['192.0.2.0', '192.0.2.255'],
  '192.31.196.0/24': ['192.31.196.0', '192.31.196.255'],
  '192.52.193.0/24': ['192.52.193.0', '192.52.193.255'],
  '192.88.99.0/24': ['192.88.99.0', '192.88.99.255'],
  '192.168.0.0/16': ['192.168.0.0', '192.168.255.255'],
  '192.175.48.0/24': ['192.175.48.0', '192.175.48.255'],
  '198.18.0.0/15': ['198.18.0.0', '198.19.255.255'],
  '198.51.100.0/24': ['198.51.100.0', '198.51.100.255'],
  '203.0.113.0/24': ['203.0.113.0', '203.0.113.255'],
  '224.0.0.0/4': ['224.0.0.0', '239.255.255.255'],
  '240.0.0.0/4': ['240.0.0.0', '255.255.255.254', '255.255.255.255'],
  'the Azure host agent': ['168.63.129.16', '::ffff:168.63.129.16'],
  '::/96': ['::', '::1', '::7f00:1', '::8.8.8.8'],
  'mapped private IPv4': ['::ffff:10.0.0.1', '::ffff:7f00:1', '::FFFF:169.254.169.254'],
  '64:ff9b::/96': ['64:ff9b::', '64:ff9b::808:808'],
  '64:ff9b:1::/48': ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  '100::/64': ['100::', '100::ffff:ffff:ffff:ffff'],
  '2001::/23': ['2001::', '2001::1', '2001:20::1', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  '2001:db8::/32': ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  '2002::/16': ['2002::', '2002:7f00:1::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  '2620:4f:8000::/48': ['2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff'],
  '3fff::/20': ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  '5f00::/16': ['5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'outside 2000::/3': ['1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '4000::1', 'e000::1'],
  'fc00::/7': ['fc00::', 'fd00::1', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'fe80::/10': ['fe80::', 'fe80::1%eth0', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'fec0::/10': ['fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'ff00::/8': ['ff00::', 'ff02::1', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'what is no address': [
    '',
    ' 8.8.8.8',
    ...words('localhost 1 127.1 8.8.8 8.8.8.8.8 08.8.8.8 0x8.8.8.8 [::1]'),
  ],
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
  for (const [range, addresses] of Object.entries(BLOCKED)) {
    it(`do not include ${range}`, () => {
      expect(addresses.filter(isPublicAddress)).to.deep.equal([])
    })
  }

  it('include the neighbours of every blocked range', () => {
    expect(PUBLIC.filter((address) => !isPublicAddress(address))).to.deep.equal([])
  })
})

describe('canonicalAddress', () => {
  const SPELLINGS: readonly (readonly [string, string | undefined])[] = [
    ['1.2.3.4', '1.2.3.4'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['::FFFF:0102:0304', '1.2.3.4'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:db8:0:1:0:0:0:1', '2001:db8:0:1::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::1.2.3.4', '::102:304'],
    ['64:ff9b::1.2.3.4', '64:ff9b::102:304'],
    ['::ffff:1.2.3.4%1', '1.2.3.4'],
    ['1.2.3.04', undefined],
    ['127.1', undefined],
    ['1', undefined],
    ['0x7f.0.0.1', undefined],
    ['1.2.3.4%eth0', undefined],
    ['[::1]', undefined],
    ['', undefined],
  ]
  for (const [text, expected] of SPELLINGS) {
    it(`reads ${JSON.stringify(text)} as ${expected ?? 'no address'}`, () => {
      expect(canonicalAddress(text)).to.equal(expected)
    })
  }
})

describe('parseAddressRange', () => {
  it('clears host bits and folds mapped ranges into IPv4', () => {
    expect(parseAddressRange('10.0.0.5/8')).to.deep.equal({ address: '10.0.0.0', prefixLength: 8 })
    expect(parseAddressRange('::ffff:10.0.0.0/104')).to.deep.equal({ address: '10.0.0.0', prefixLength: 8 })
    expect(parseAddressRange('2001:DB8::5/32')).to.deep.equal({ address: '2001:db8::', prefixLength: 32 })
    expect(parseAddressRange('::1')).to.deep.equal({ address: '::1', prefixLength: 128 })
    expect(parseAddressRange('0.0.0.0/0')).to.deep.equal({ address: '0.0.0.0', prefixLength: 0 })
  })

  for (const text of [
    '',
    '10.0.0.0/ 8',
    ' 10.0.0.0/8',
    ...words(`
    10/8 127.1 1 10.0.0.0/33 ::/129 10.0.0.0/+8 10.0.0.0/08 10.0.0.0/ fe80::1%eth0/64 10.0.0.0/8/8
    10.0.0.0/-1 example.com 0x7f.0.0.1 1.2.3.04/32 ::ffff:1.2.3.4/95
  `),
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(parseAddressRange(text)).to.equal(undefined)
    })
  }

  it('never matches across IP versions and never throws on what is no address', () => {
    const everyIpv4 = { address: '0.0.0.0', prefixLength: 0 }
    expect(isInRange('::1', everyIpv4)).to.equal(false)
    expect(isInRange('not an address', everyIpv4)).to.equal(false)
    expect(isInRange('1.2.3.4', { address: '::', prefixLength: 0 })).to.equal(false)
    expect(isInRange('::ffff:1.2.3.4', everyIpv4)).to.equal(true)
    expect(isInRange('1.2.3.4', { address: 'not an address', prefixLength: 0 })).to.equal(false)
  })
})
