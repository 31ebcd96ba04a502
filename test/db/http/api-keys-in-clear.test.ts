import { expect } from 'chai'
import { askAppAs, verdictOf, type Peer } from '../../support/ask-as-peer.ts'
import { useOperations } from '../../support/use-operations.ts'

describe('an api whose HOST others can reach behind trusted proxies', () => {
  const its = useOperations()

  type Options = { readonly path?: string; readonly proto?: string }

  /** Asks the whole app as the peer: `200`, or `400 INVALID_REQUEST Use HTTPS.` and the like. */
  const ask = async (peer: Peer, options: Options = {}): Promise<string> =>
    verdictOf(await answerTo(peer, options))

  async function answerTo(peer: Peer, { path = '/api-v1-webhooks', proto = '' }: Options): Promise<Response> {
    const { secret } = await its.keyring.create()
    const headers = {
      authorization: `Bearer ${secret}`,
      'x-forwarded-for': '10.0.0.1',
      ...(proto !== '' && { 'x-forwarded-proto': proto }),
    }
    const environment = { HOST: '0.0.0.0', TRUSTED_PROXIES: '10.0.0.0/8,2001:db8::/32' }
    return askAppAs(its.database, { peer, path, headers, environment })
  }

  // decision: HTTPS only
  it('refuses an unencrypted request of a peer that is neither a trusted proxy nor the machine itself', async () => {
    for (const remoteAddress of ['203.0.113.9', '::ffff:203.0.113.9', '2001:db9::1', '128.0.0.1', '::2']) {
      expect(await ask({ remoteAddress }), remoteAddress).to.equal('400 INVALID_REQUEST Use HTTPS.')
    }
    expect(await ask({ remoteAddress: '203.0.113.9' }, { path: '/openapi.json' })).to.match(/^400 /)
  })

  it('serves its proxies, the machine itself and whoever speaks TLS', async () => {
    const inClear = ['10.1.2.3', '::ffff:10.1.2.3', '2001:db8::1', '127.0.0.1', '127.1.2.3', '::1']
    for (const remoteAddress of inClear) expect(await ask({ remoteAddress }), remoteAddress).to.equal('200')
    expect(await ask({ remoteAddress: '203.0.113.9', encrypted: true })).to.equal('200')
  })

  // decision: HTTPS only
  it('refuses a request that reached its proxies unencrypted, by the first protocol that they name', async () => {
    const proxy = { remoteAddress: '10.1.2.3' }
    for (const proto of ['http', 'HTTP', 'http, https']) {
      expect(await ask(proxy, { proto }), proto).to.equal('400 INVALID_REQUEST Use HTTPS.')
    }
    expect(await ask({ ...proxy, encrypted: true }, { proto: 'http' })).to.match(/^400 /)
    for (const proto of ['https', 'https,http', 'https , http']) {
      expect(await ask(proxy, { proto }), proto).to.equal('200')
    }
    expect(await ask({ remoteAddress: '127.0.0.1' }, { proto: 'http' }), 'no proxy of ours').to.equal('200')
  })

  // decision: HSTS
  it('asks browsers to stay with HTTPS when the client of a trusted proxy used it, as when the api has TLS of its own', async () => {
    const policyFor = async (peer: Peer, proto: string, path = '/docs') =>
      (await answerTo(peer, { proto, path })).headers.get('strict-transport-security')
    const policy = 'max-age=31536000; includeSubDomains'
    const proxy = { remoteAddress: '10.1.2.3' }
    for (const path of ['/docs', '/healthz', '/api-v1-webhooks', '/nothing']) {
      expect(await policyFor(proxy, 'https', path), path).to.equal(policy)
    }
    expect(await policyFor({ remoteAddress: '203.0.113.9', encrypted: true }, '')).to.equal(policy)
    expect(await policyFor(proxy, '')).to.equal(null)
    expect(await policyFor(proxy, 'http')).to.equal(null)
    expect(await policyFor({ remoteAddress: '127.0.0.1' }, 'https'), 'no proxy of ours').to.equal(null)
  })

  // decision: HTTPS only
  it('answers probes of its health from anywhere', async () => {
    for (const path of ['/healthz', '/readyz']) {
      expect(await ask({ remoteAddress: '203.0.113.9' }, { path })).to.equal('200')
    }
  })
})
