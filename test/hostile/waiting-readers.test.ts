import { once } from 'node:events'
import { connect as connectTo, type Socket } from 'node:net'
import { expect } from 'chai'
import { median } from '../../bench/support/figures.ts'
import { createApp } from '../../src/api/app.ts'
import type { CutReason } from '../../src/api/edge/connections.ts'
import { createHttpServer, type HttpServer } from '../../src/api/edge/http-server.ts'
import { connect } from '../../src/db/connection/connection.ts'
import type { SystemDeps } from '../../src/deps/deps.ts'
import { FeedReaders } from '../../src/operations/event/feed-readers.ts'
import { publishEvents } from '../../src/operations/event/publish.ts'
import { HEALTH_PATHS } from '../../src/process/health.ts'
import { useDatabase, authWithoutUsage, testDeps } from '../support/database.ts'
import { listenOnLoopback, allClosed } from '../support/loopback.ts'
import { untilIs } from '../support/poll.ts'
import { useTcpProxies } from '../support/tcp-proxy.ts'
import { createTestTenant, type TestTenant } from '../support/tenants.ts'

const FEED = '/api-v1-events/feed?after=end&limit=100&wait='
const COMPANIES = 4
const KEYS = 10
const READERS_OF_KEY = 5

describe('clients that wait for events', function () {
  this.timeout(60_000)
  const database = useDatabase()
  const createProxyTo = useTcpProxies()
  let deps: SystemDeps
  let readers: FeedReaders
  let http: HttpServer
  let url: string
  let cuts: CutReason[]

  async function serve(given: SystemDeps): Promise<void> {
    cuts = []
    readers = new FeedReaders(given)
    deps = { ...given, feedBell: { ring: (hints) => readers.ring(hints), close: () => undefined } }
    const app = createApp(deps, {
      auth: authWithoutUsage(deps),
      feedReaders: readers,
      health: { paths: HEALTH_PATHS, answer: () => Promise.reject(new Error('nobody asks for it')) },
      createConsole: () => (_ctx, next) => next(),
    })
    http = createHttpServer(app.callback(), {
      limits: { perAddress: 3_000, perProcess: 3_000, idleMs: 1_000 },
      onCut: (reason) => cuts.push(reason),
    })
    url = (await listenOnLoopback(http.server)).url
  }
  beforeEach(() => serve(testDeps(database)))
  const ends: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    await readers.stop()
    await http.stop(0)
    for (const end of ends.splice(0)) await end()
  })

  const tenant = (companyId?: string): Promise<TestTenant> =>
    createTestTenant(database.db, url, companyId === undefined ? {} : { companyId })
  const wait = (owner: TestTenant, seconds = 30) => owner.request('GET', `${FEED}${seconds}`)
  const waiting = (count: number) => untilIs(() => readers.waiting, count)
  const publish = ({ tenant: owner }: TestTenant, count = 1, data: object = {}) =>
    publishEvents(
      deps,
      owner,
      Array.from({ length: count }, () => ({ type: 'contact.created', data })),
    )

  async function waitOnSocket({ key }: TestTenant): Promise<Socket> {
    const socket = connectTo(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined)
    await once(socket, 'connect')
    socket.write(`GET ${FEED}30 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`)
    return socket
  }

  // decision: Waiting readers
  it('give their places back when they never read, and are cut', async () => {
    const owner = await tenant()
    const sockets = await Promise.all([1, 2].map(() => waitOnSocket(owner)))
    for (const socket of sockets) socket.pause()
    await waiting(2)
    // More than a connection's buffers take.
    await publish(owner, 30, { text: 'x'.repeat(240_000) })
    await untilIs(() => readers.taken, 0)
    const others = Array.from({ length: READERS_OF_KEY }, () => wait(owner))
    await waiting(READERS_OF_KEY)
    await untilIs(() => cuts.length, 2)
    expect(cuts).to.deep.equal(['unread', 'unread'])
    await publish(owner)
    for (const { body } of await Promise.all(others)) expect(body.data).to.have.length(1)
    for (const socket of sockets) socket.destroy()
  })

  // decision: Waiting readers
  it('keep nobody from a cheap call when they are 200 of many keys, and are all answered when the api stops', async function () {
    const sockets: Socket[] = []
    const answers = new Map<Socket, string>()
    for (let company = 0; company < COMPANIES; company++) {
      const first = await tenant()
      const more = Array.from({ length: KEYS - 1 }, () => tenant(first.tenant.companyId))
      for (const reader of [first, ...(await Promise.all(more))])
        for (let n = 0; n < READERS_OF_KEY; n++) {
          const socket = await waitOnSocket(reader)
          sockets.push(socket)
          socket.on('data', (bytes: Buffer) =>
            answers.set(socket, `${answers.get(socket) ?? ''}${bytes.toString()}`),
          )
        }
    }
    await untilIs(() => readers.taken, COMPANIES * KEYS * READERS_OF_KEY)
    const neighbour = await tenant()
    const timesMs: number[] = []
    for (let n = 0; n < 30; n++) {
      const beganMs = performance.now()
      expect((await neighbour.request('GET', '/api-v1-me')).status).to.equal(200)
      timesMs.push(performance.now() - beganMs)
    }
    expect(readers.waiting).to.equal(COMPANIES * KEYS * READERS_OF_KEY)
    const stoppingMs = performance.now()
    await readers.stop()
    // The test would time out if the api waited for the end of this grace period.
    await Promise.all([http.stop(3_600_000), allClosed(sockets)])
    const seconds = (performance.now() - stoppingMs) / 1_000
    this.runnable().title += ` (call ${median(timesMs).toFixed(1)} ms, stop ${seconds.toFixed(1)} s)`
    const isEmptyPart = (text: string) => /^HTTP\/1\.1 200 [^]*"data":\[\]/.test(text)
    expect(sockets.filter((socket) => !isEmptyPart(answers.get(socket) ?? ''))).to.have.length(0)
  })

  // decision: Waiting readers
  it('get 503 when the database is away at the end of their wait, and wait on when it comes back before', async () => {
    await http.stop(0)
    const proxy = await createProxyTo(new URL(database.url).host)
    // The connection time limit is an api's own, because on a busy machine a shorter limit would fail readers.
    const db = connect(proxy.through(database.url))
    ends.push(() => db.destroy())
    await serve({ ...testDeps(database), db })
    const owner = await tenant()
    const [unlucky, patient] = [wait(owner, 3), wait(owner)]
    await waiting(2)
    await proxy.refuse()
    const { status, body, headers } = await unlucky
    expect([status, body.error.code]).to.deep.equal([503, 'SERVICE_UNAVAILABLE'])
    expect(Number(headers.get('retry-after'))).to.be.above(0)
    await proxy.pass()
    await publish(owner)
    const found = await patient
    expect(found.status, JSON.stringify(found.body)).to.equal(200)
    expect(found.body.data).to.have.length(1)
  })
})
