import { expect } from 'chai'
import fc from 'fast-check'
import * as client from '../../../../src/domain/net/client-address.ts'
import { refuseMetrics } from '../../../../src/domain/net/metrics-access.ts'
import { addressText, randomAddress } from '../../../support/address-masks.ts'
import { words } from '../../../support/words.ts'

const PROXIES = ['10.0.0.1', '10.0.0.2', '2001:db8::1']
const isTrusted = (address: string) => PROXIES.includes(address)
const resolve = (peer: string, forwardedFor?: string) =>
  client.clientAddress({ peer, forwardedFor, isTrusted })

// decision: Whose address
describe('the client address', () => {
  it('is the socket peer when no proxy is trusted, whatever the header claims', () => {
    fc.assert(
      fc.property(randomAddress, fc.oneof(fc.string(), fc.constant('1.2.3.4')), (address, forwardedFor) => {
        const peer = addressText(address, false)
        const alone = client.clientAddress({ peer, forwardedFor: undefined, isTrusted: () => false })
        expect(client.clientAddress({ peer, forwardedFor, isTrusted: () => false })).to.equal(alone)
      }),
    )
    expect(resolve('192.0.2.9', '1.2.3.4')).to.equal('192.0.2.9')
    const noAddress = { peer: '@socket', forwardedFor: '1.2.3.4', isTrusted: () => true }
    expect(client.clientAddress(noAddress), 'nor when it is no address').to.equal('@socket')
  })

  it('is the nearest untrusted address behind trusted proxies, never one that the client wrote further left', () => {
    expect(resolve('10.0.0.1', '10.0.0.2,1.1.1.1,203.0.113.7')).to.equal('203.0.113.7')
    fc.assert(
      fc.property(fc.string(), fc.array(fc.constantFrom(...PROXIES), { maxLength: 18 }), (forged, hops) => {
        const header = [forged, '203.0.113.7', ...hops].join(', ')
        expect(resolve('10.0.0.1', header)).to.equal('203.0.113.7')
      }),
    )
  })

  it('is canonical, without the port that some proxies write, and proxies are recognised in their mapped spelling', () => {
    expect(resolve('::ffff:192.0.2.9')).to.equal('192.0.2.9')
    expect(resolve('::ffff:10.0.0.1', '::FFFF:203.0.113.7')).to.equal('203.0.113.7')
    expect(resolve('2001:DB8:0::1', '2001:DB8:0::2')).to.equal('2001:db8::2')
    expect(resolve('fe80::1%eth0')).to.equal('fe80::1')
    expect(resolve('10.0.0.1', '203.0.113.7:61234, 10.0.0.2:443')).to.equal('203.0.113.7')
    for (const entry of ['[2001:DB8::2]:61234', '[2001:db8::2]'])
      expect(resolve('10.0.0.1', entry), entry).to.equal('2001:db8::2')
  })

  it('is the last good one when an entry is no address, the peer when the proxy sent no header, and the farthest proxy when all are trusted', () => {
    const others = words('"1.2.3.4" unknown 1.2.3.4:x [::1 [::1]x _hidden 127.1 for=1.2.3.4')
    for (const broken of ['', ...others]) {
      expect(resolve('10.0.0.1', `203.0.113.7, ${broken}`), broken).to.equal('10.0.0.1')
      expect(resolve('10.0.0.1', `203.0.113.7, ${broken}, 10.0.0.2`), broken).to.equal('10.0.0.2')
    }
    expect(resolve('10.0.0.1')).to.equal('10.0.0.1')
    expect(resolve('10.0.0.1', '')).to.equal('10.0.0.1')
    expect(resolve('10.0.0.1', '2001:db8::1, 10.0.0.2')).to.equal('2001:db8::1')
  })

  it('comes from the last 20 entries alone', () => {
    const hops = (count: number) => Array.from({ length: count }, () => '10.0.0.2').join(',')
    expect(resolve('10.0.0.1', `203.0.113.7,${hops(19)}`)).to.equal('203.0.113.7')
    expect(resolve('10.0.0.1', `203.0.113.7,${hops(20)}`)).to.equal('10.0.0.2')
  })
})

describe('whether a network may have seen a request in clear', () => {
  it('is not so with TLS, from this machine, and behind a proxy that does not say that its client spoke HTTP', () => {
    for (const [peer, isEncrypted, forwardedProto, expected] of [
      ['192.0.2.9', true, '', true],
      ['192.0.2.9', false, 'https', false],
      ['127.0.0.1', false, '', true],
      ['10.0.0.1', false, '', true],
      ['10.0.0.1', false, 'https', true],
      ['10.0.0.1', true, 'http', false],
    ] as const) {
      const what = `${peer} ${isEncrypted} ${forwardedProto}`
      const transport = { peer, forwardedFor: undefined, isTrusted, isEncrypted, forwardedProto }
      expect(client.isConfidential(transport), what).to.equal(expected)
    }
    const own = ['127.0.0.1', '127.255.255.255', '::1']
    expect([...own, '128.0.0.0', '::2', '10.0.0.1'].filter(client.isLoopback)).to.deep.equal(own)
  })
})

describe('whether a request came by HTTPS', () => {
  const came = (peer: string, isEncrypted: boolean, forwardedProto: string, forwardedFor?: string) =>
    client.isHttps({ peer, forwardedFor, isTrusted, isEncrypted, forwardedProto })

  it('is so with TLS of our own and with a trusted proxy that says so of its client, not by what a stranger says, nor one that says something else', () => {
    const ofStranger = [true, false].map((isEncrypted) => came('192.0.2.9', isEncrypted, 'https'))
    expect(ofStranger).to.deep.equal([true, false])
    const said = ['https', 'HTTPS', 'http, https', 'http , https ']
    const protos = [...said, '', 'http', 'https, http', 'httpsx', 'https,']
    expect(protos.filter((proto) => came('10.0.0.1', false, proto))).to.deep.equal(said)
  })

  // decision: HSTS
  it('goes by the value of the farthest trusted proxy, and never by one that the client wrote', () => {
    for (const [proto, forwardedFor, expected] of [
      ['https, http', '203.0.113.7, 10.0.0.2', true],
      ['https, http, https', '203.0.113.7, 10.0.0.2', false],
      ['https, http', '10.0.0.2, 203.0.113.7', false],
      ['https', '203.0.113.7, 10.0.0.2', true],
    ] as const)
      expect(came('10.0.0.1', false, proto, forwardedFor), `${proto} ${forwardedFor}`).to.equal(expected)
  })
})

describe('who may read the metrics', () => {
  const ours = { address: '127.0.0.1', isForwarded: false, isConfidential: true, authorization: '' }
  const others = { ...ours, address: '192.0.2.9' }
  const forwarded = { ...ours, isForwarded: true }
  const right = { authorization: 'Bearer token' }

  // decision: Metrics
  it('is this machine alone without a token, and with one whoever sends it, in clear only on this machine', () => {
    for (const [request, token, code] of [
      [ours, undefined, undefined],
      [{ ...ours, isConfidential: false, ...right }, 'token', undefined],
      [{ ...others, ...right }, 'token', undefined],
      [{ ...forwarded, ...right }, 'token', undefined],
      [others, undefined, 'IP_NOT_ALLOWED'],
      [forwarded, undefined, 'IP_NOT_ALLOWED'],
      [{ ...others, ...right, isConfidential: false }, 'token', 'INVALID_REQUEST'],
      [ours, 'token', 'UNAUTHORIZED'],
      [{ ...others, authorization: 'Bearer other' }, 'token', 'UNAUTHORIZED'],
      [{ ...others, authorization: 'Bearer token2' }, 'token', 'UNAUTHORIZED'],
      [{ ...others, authorization: 'token' }, 'token', 'UNAUTHORIZED'],
    ] as [typeof ours, string | undefined, string | undefined][])
      expect(refuseMetrics(request, token)?.code, JSON.stringify([request, token])).to.equal(code)
    const elsewhere = 'requests from 192.0.2.9, unless METRICS_TOKEN'
    expect(refuseMetrics(others, undefined)?.message).to.include(elsewhere)
    const headers = { 'WWW-Authenticate': 'Bearer' }
    const refusal = { message: 'The metrics token is missing or wrong.', headers }
    expect(refuseMetrics(ours, 'token')).to.deep.include(refusal)
    expect(refuseMetrics({ ...others, isConfidential: false }, 'token')?.message).to.equal('Use HTTPS.')
  })
})
