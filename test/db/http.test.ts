import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { expect } from 'chai'
import { createApp } from '../../src/api/app.ts'
import { createMetrics } from '../../src/deps/metrics.ts'
import { answerHealth, createReadiness, HEALTH_PATHS, startHealthServer } from '../../src/process/health.ts'
import { type useDatabase, authWithoutUsage, testDeps } from '../support/database.ts'
import { askServer } from '../support/loopback.ts'
import { useOperations } from '../support/use-operations.ts'
import { words } from '../support/words.ts'

/** The client address and TLS state that the sockets report in place of loopback. */
type Peer = { readonly remoteAddress: string; readonly encrypted?: boolean }

type Asked = { readonly peer: Peer; readonly path: string; readonly headers?: Record<string, string> }

const apps = new Map<string, RequestListener>()

/** The whole app, built once for each environment. */
function appOn(database: ReturnType<typeof useDatabase>, environment: Record<string, string>) {
  const name = JSON.stringify([database.url, environment])
  const known = apps.get(name)
  if (known) return known
  const deps = testDeps(database, environment)
  const { registry } = deps.metrics
  const parts = { readiness: createReadiness({}), registry, metricsToken: deps.config.metricsToken }
  const app = createApp(deps, {
    auth: authWithoutUsage(deps),
    createConsole: () => (_ctx, next) => next(),
    health: { paths: HEALTH_PATHS, answer: (request) => answerHealth(request, parts) },
  }).callback()
  apps.set(name, app)
  return app
}

/** Sends one GET to a server on loopback as if from the peer, and closes the server. */
async function askAs(server: Server, { peer, path, headers = {} }: Asked): Promise<Response> {
  server.on('connection', (socket: Socket) => {
    for (const [name, value] of Object.entries(peer)) Object.defineProperty(socket, name, { value })
  })
  return askServer(server, path, { headers })
}

/** The result, such as `200` or `400 INVALID_REQUEST Use HTTPS.`. */
async function verdictOf(response: Response): Promise<string> {
  const text = await response.text()
  const { error } = (text.startsWith('{') ? JSON.parse(text) : {}) as {
    error?: { code: string; message: string }
  }
  return error ? `${response.status} ${error.code} ${error.message}` : String(response.status)
}

// decision: HTTPS only
describe('an api whose HOST others can reach behind trusted proxies', () => {
  const its = useOperations()

  type Options = { readonly path?: string; readonly proto?: string }

  /** Sends a request to the whole app as the peer. Returns `200`, or `400 INVALID_REQUEST Use HTTPS.` for example. */
  const ask = async (peer: Peer, options: Options = {}): Promise<string> =>
    verdictOf(await answerTo(peer, options))

  async function answerTo(peer: Peer, { path = '/api-v1-webhooks', proto = '' }: Options): Promise<Response> {
    const { secret } = await its.keyring.create()
    const headers = {
      authorization: `Bearer ${secret}`,
      'x-forwarded-for': '10.0.0.1',
      ...(proto !== '' && { 'x-forwarded-proto': proto }),
    }
    const app = appOn(its.database, { HOST: '0.0.0.0', TRUSTED_PROXIES: '10.0.0.0/8,2001:db8::/32' })
    return askAs(createServer(app), { peer, path, headers })
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
    for (const path of ['/docs', '/healthz', '/api-v1-webhooks', '/nothing'])
      expect(await policyFor(proxy, 'https', path), path).to.equal(policy)
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
    const server = createServer(appOn(its.database, environment))
    return verdictOf(await askAs(server, { peer, path: '/metrics', headers }))
  }
  async function askWorker(peer: Peer, { token, headers = {} }: Options = {}): Promise<string> {
    const parts = { readiness: createReadiness({}), registry: createMetrics().registry, metricsToken: token }
    const server = await startHealthServer({ host: '127.0.0.1', port: 0 }, parts)
    return verdictOf(await askAs(server, { peer, path: '/metrics', headers }))
  }

  for (const [process, ask] of Object.entries({ api: askApi, worker: askWorker }))
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
})
