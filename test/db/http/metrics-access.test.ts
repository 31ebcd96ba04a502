import { expect } from 'chai'
import { createReadiness, startHealthServer } from '../../../src/process/health.ts'
import { createMetrics } from '../../../src/process/metrics.ts'
import { askAppAs, askAs, verdictOf, type Peer } from '../../support/ask-as-peer.ts'
import { useOperations } from '../../support/use-operations.ts'

const TOKEN = 'a-metrics-token'
const PROXIES = { HOST: '0.0.0.0', TRUSTED_PROXIES: '10.0.0.0/8,127.0.0.2' }
const NOT_SHOWN = /^403 IP_NOT_ALLOWED Metrics are shown to this machine only, not to requests from /

type Options = { readonly token?: string; readonly headers?: Record<string, string> }

describe('the metrics of the api', () => {
  const its = useOperations()

  /** Asks with the right token, unless headers say otherwise, where one is set. */
  async function ask(peer: Peer, { token, headers = {} }: Options = {}): Promise<string> {
    const environment = { ...PROXIES, ...(token !== undefined && { METRICS_TOKEN: token }) }
    const sent = { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers }
    return verdictOf(await askAppAs(its.database, { peer, path: '/metrics', headers: sent, environment }))
  }

  it('are shown without a token to this machine alone', async () => {
    for (const remoteAddress of ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1']) {
      expect(await ask({ remoteAddress }), remoteAddress).to.equal('200')
    }
    for (const remoteAddress of ['203.0.113.9', '10.1.2.3', '2001:db8::1', '::ffff:10.1.2.3', '128.0.0.1']) {
      expect(await ask({ remoteAddress }), remoteAddress).to.match(NOT_SHOWN)
      expect(await ask({ remoteAddress, encrypted: true }), remoteAddress).to.match(NOT_SHOWN)
    }
    expect(await ask({ remoteAddress: '203.0.113.9' })).to.include('requests from 203.0.113.9')
  })

  // decision: Metrics
  it('are shown without a token to nobody through a proxy, whatever addresses its headers name', async () => {
    const behind = (headers: Record<string, string>, remoteAddress = '127.0.0.2') =>
      ask({ remoteAddress }, { headers })
    for (const forwardedFor of ['203.0.113.9', '127.0.0.1', '203.0.113.9, 127.0.0.1', '']) {
      expect(await behind({ 'x-forwarded-for': forwardedFor }), forwardedFor).to.match(NOT_SHOWN)
      expect(await behind({ 'x-forwarded-for': forwardedFor }, '127.0.0.1'), forwardedFor).to.match(NOT_SHOWN)
    }
    for (const name of ['forwarded', 'via', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']) {
      expect(await behind({ [name]: 'anything' }), name).to.match(NOT_SHOWN)
    }
  })

  it('are shown to whoever brings the token, this machine included, and to nobody else', async () => {
    for (const peer of [
      { remoteAddress: '127.0.0.1' },
      { remoteAddress: '10.1.2.3' },
      { remoteAddress: '203.0.113.9', encrypted: true },
    ]) {
      expect(await ask(peer, { token: TOKEN }), peer.remoteAddress).to.equal('200')
      for (const authorization of ['', TOKEN, 'Bearer another-token', `Bearer ${TOKEN}s`]) {
        const verdict = await ask(peer, { token: TOKEN, headers: { authorization } })
        expect(verdict, `${peer.remoteAddress} ${authorization}`).to.match(/^401 UNAUTHORIZED /)
      }
    }
  })

  // decision: Metrics
  it('go to nobody beyond this machine in clear, token or not', async () => {
    const inClear = '400 INVALID_REQUEST Use HTTPS.'
    expect(await ask({ remoteAddress: '203.0.113.9' }, { token: TOKEN })).to.equal(inClear)
    const proto = { 'x-forwarded-proto': 'http', 'x-forwarded-for': '203.0.113.9' }
    expect(await ask({ remoteAddress: '10.1.2.3' }, { token: TOKEN, headers: proto })).to.equal(inClear)
    const tls = { ...proto, 'x-forwarded-proto': 'https' }
    expect(await ask({ remoteAddress: '10.1.2.3' }, { token: TOKEN, headers: tls })).to.equal('200')
  })
})

describe('the metrics of a worker', () => {
  async function ask(remoteAddress: string, { token, headers = {} }: Options = {}): Promise<string> {
    const server = await startHealthServer(
      { host: '127.0.0.1', port: 0 },
      {
        readiness: createReadiness({}),
        registry: createMetrics().registry,
        metricsToken: token,
      },
    )
    return verdictOf(await askAs(server, { peer: { remoteAddress }, path: '/metrics', headers }))
  }

  it('are shown without a token to this machine alone', async () => {
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) expect(await ask(address)).to.equal('200')
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '2001:db8::1']) {
      expect(await ask(address), address).to.match(NOT_SHOWN)
    }
    const headers = { 'x-forwarded-for': '127.0.0.1' }
    expect(await ask('127.0.0.1', { headers })).to.match(NOT_SHOWN)
  })

  // decision: Metrics
  it('are shown on its network to whoever brings the token', async () => {
    const headers = { authorization: `Bearer ${TOKEN}` }
    expect(await ask('10.1.2.3', { token: TOKEN, headers })).to.equal('200')
    expect(await ask('10.1.2.3', { token: TOKEN })).to.match(/^401 UNAUTHORIZED /)
    expect(await ask('127.0.0.1', { token: TOKEN })).to.match(/^401 UNAUTHORIZED /)
  })
})
