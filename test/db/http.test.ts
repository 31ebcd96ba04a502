import { expect } from 'chai'
import { askAppAs, askAs, type Peer, verdictOf } from '../support/ask-as-peer.ts'
import { useOperations } from '../support/use-operations.ts'
import { createReadiness, startHealthServer } from '../../src/process/health.ts'
import { createMetrics } from '../../src/deps/metrics.ts'
import { words } from '../support/words.ts'

// decision: HTTPS only
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

  it('refuses an unencrypted request, but none of this machine, of a trusted proxy that was reached by HTTPS, or for the health', async () => {
    expect(await ask({ remoteAddress: '203.0.113.9' })).to.equal('400 INVALID_REQUEST Use HTTPS.')
    for (const remoteAddress of ['10.1.2.3', '127.0.0.1'])
      expect(await ask({ remoteAddress }), remoteAddress).to.equal('200')
    expect(await ask({ remoteAddress: '203.0.113.9', encrypted: true })).to.equal('200')
    for (const path of ['/healthz', '/readyz'])
      expect(await ask({ remoteAddress: '203.0.113.9' }, { path }), path).to.equal('200')
    const proxy = { remoteAddress: '10.1.2.3' }
    expect(await ask(proxy, { proto: 'http' })).to.equal('400 INVALID_REQUEST Use HTTPS.')
    expect(await ask(proxy, { proto: 'https' })).to.equal('200')
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
    expect(await policyFor(proxy, 'http')).to.equal(null)
  })
})

// decision: Metrics
describe('the metrics', () => {
  const its = useOperations()
  const TOKEN = 'a-metrics-token'
  const NOT_SHOWN = /^403 IP_NOT_ALLOWED Metrics are shown to this machine only, not to requests from /
  type Options = { readonly token?: string; readonly headers?: Record<string, string> }

  async function askApi(peer: Peer, { token, headers = {} }: Options = {}): Promise<string> {
    const proxies = { HOST: '0.0.0.0', TRUSTED_PROXIES: '10.0.0.0/8,127.0.0.2' }
    const environment = { ...proxies, ...(token !== undefined && { METRICS_TOKEN: token }) }
    return verdictOf(await askAppAs(its.database, { peer, path: '/metrics', headers, environment }))
  }
  async function askWorker(peer: Peer, { token, headers = {} }: Options = {}): Promise<string> {
    const server = await startHealthServer(
      { host: '127.0.0.1', port: 0 },
      { readiness: createReadiness({}), registry: createMetrics().registry, metricsToken: token },
    )
    return verdictOf(await askAs(server, { peer, path: '/metrics', headers }))
  }

  for (const [process, ask] of Object.entries({ api: askApi, worker: askWorker })) {
    it(`of the ${process} are shown to this machine alone and not through a proxy, or to whoever brings the token`, async () => {
      const [here, beyond] = [{ remoteAddress: '127.0.0.1' }, { remoteAddress: '10.1.2.3', encrypted: true }]
      expect(await ask(here)).to.equal('200')
      expect(await ask(beyond)).to.match(NOT_SHOWN)
      for (const name of words('x-forwarded-for forwarded via x-forwarded-host x-forwarded-proto x-real-ip'))
        for (const value of ['127.0.0.1', ''])
          expect(await ask(here, { headers: { [name]: value } }), name).to.match(NOT_SHOWN)
      const headers = { authorization: `Bearer ${TOKEN}` }
      expect(await ask(beyond, { token: TOKEN, headers })).to.equal('200')
      expect(await ask(here, { token: TOKEN })).to.match(/^401 UNAUTHORIZED /)
    })
  }
})
