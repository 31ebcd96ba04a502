import { EventEmitter, once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import path from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { expect } from 'chai'
import { createCertificate } from '../../../support/certificates.ts'
import { listenOnLoopback, openSockets } from '../../../support/loopback.ts'
import { createHttpServer, type HttpServer } from '../../../../src/api/edge/http-server.ts'
import { lastBody, sendRaw } from '../../../support/raw-http.ts'
import { AnswerBudget } from '../../../../src/api/edge/answer-budget.ts'
import type { ApiError } from '../../../../src/domain/errors.ts'
import { untilIs, untilSo } from '../../../support/poll.ts'
import { useTemporaryDirectory } from '../../../support/temporary-directory.ts'

const HEAD = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n'

describe('slow bodies', () => {
  let server: Server
  let port: number
  before(async () => {
    // Read to the end before the answer, as the api does.
    server = createHttpServer((request, response) => {
      request.resume().on('end', () => response.end())
    }).server
    expect(server.requestTimeout).to.equal(30_000)
    server.headersTimeout = 500 // Node takes the longer of the two for the whole request.
    server.requestTimeout = 500
    port = (await listenOnLoopback(server)).port
  })
  after(() => server.close())

  it('answers 408 in the envelope to a body that stops', async () => {
    const answer = await sendRaw(`http://127.0.0.1:${port}`, `${HEAD}{"name":`)
    expect(answer.statuses).to.deep.equal([408])
    expect(lastBody(answer)).to.have.nested.property('error.code', 'REQUEST_TIMEOUT')
  })

  it('disconnects a client that sends byte after byte, however steadily', async () => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.on('data', (chunk) => (text += chunk.toString()))
    // Writing while the server closes causes a socket error, which is what this test provokes.
    socket.on('error', () => undefined)
    socket.write(HEAD)
    const drip = setInterval(() => socket.write('a'), 50)
    await once(socket, 'close')
    clearInterval(drip)
    expect(text).to.match(/^HTTP\/1\.1 408 /)
  })
})

describe('an http server that stops', () => {
  /** A server with one request under way, after its client has left. @returns stops the server, and ends the request */
  async function abandoned() {
    const events = new EventEmitter()
    const { server, stop } = createHttpServer(async () => {
      events.emit('begun')
      await once(events, 'ended')
    })
    const socket = connect((await listenOnLoopback(server)).port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(events, 'begun')
    socket.destroy()
    return { stop, end: () => void events.emit('ended') }
  }

  it('waits for a request whose client has gone: it still uses the database; but no longer than the grace period', async () => {
    const { stop, end } = await abandoned()
    const order: string[] = []
    const stopped = stop(60_000).then(() => order.push('stopped'))
    for (let turns = 0; turns < 50; turns++) await turn()
    order.push('ended')
    end()
    await stopped
    expect(order).to.deep.equal(['ended', 'stopped'])
    const another = await abandoned()
    await another.stop(50)
    another.end()
  })
})

const folder = useTemporaryDirectory('all tests')

// decision: A changed certificate
it('a certificate that changes on disk is served without a restart, and a bad pair never is', async () => {
  const files = { certFile: path.join(folder.path, 'cert.pem'), keyFile: path.join(folder.path, 'key.pem') }
  const [first, second] = await Promise.all([createCertificate(['a']), createCertificate(['b'])])
  await Promise.all([writeFile(files.certFile, first.cert), writeFile(files.keyFile, first.key)])
  const looks: string[] = []
  const onCertificate = (error?: unknown) => void looks.push(error === undefined ? 'loaded' : 'kept')
  const { server } = createHttpServer(() => undefined, { tls: files, certificateEveryMs: 10, onCertificate })
  const { port } = await listenOnLoopback(server)
  const served = async () => {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    const { CN } = socket.getPeerCertificate().subject
    socket.destroy()
    return CN
  }
  expect(await served()).to.equal('a')
  await writeFile(files.certFile, second.cert)
  await untilSo(() => looks.at(-1) === 'kept')
  expect(await served()).to.equal('a')
  await writeFile(files.keyFile, second.key)
  await untilSo(() => looks.at(-1) === 'loaded')
  expect(await served()).to.equal('b')
  await new Promise((resolve) => server.close(resolve))
})

describe('refusals below the application', () => {
  let server: Server
  let port: number
  const paths: (string | undefined)[] = []
  before(async () => {
    server = createHttpServer((request, response) => {
      paths.push(request.url)
      if (request.url !== '/held') setImmediate(() => response.end())
    }).server
    port = (await listenOnLoopback(server)).port
  })
  after(() => server.close())
  beforeEach(() => paths.splice(0))

  // decision: Pipelined requests
  it('end the connection, so that no request behind a refused one is carried out', async () => {
    const [one, bare, two] = ['/one HTTP/1.1\r\nHost: a', '/bare HTTP/1.1', '/two HTTP/1.1\r\nHost: a']
    const bytes = [one, bare, two].map((request) => `GET ${request}\r\n\r\n`).join('')
    const answer = await sendRaw(`http://127.0.0.1:${port}`, bytes, { answers: 3 })
    expect(answer.statuses).to.deep.equal([200, 400])
    expect(paths).to.deep.equal(['/one'])
  })

  it('do no harm to the api when the client breaks the connection off after its CONNECT', async () => {
    const accepted = once(server, 'connection') as Promise<[Socket]>
    const refused = once(server, 'connect')
    const client = connect(port, '127.0.0.1')
    // After a body the parser receives the following bytes in the same piece.
    const post = 'POST /held HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx'
    client.write(`${post}CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n`)
    const [[socket]] = await Promise.all([accepted, refused])
    // Without our listener the reset would end the process, and here the test.
    const closed = new Promise<void>((resolve) => socket.once('close', resolve))
    client.resetAndDestroy()
    await closed
    expect(socket.errored).to.have.property('code', 'ECONNRESET')
  })
})

/** The system buffers some 10 MiB of an unread answer, which then counts as sent. Four of these answers exceed that. */
const PART = 4 * 1024 * 1024

// decision: Large answers have a budget
describe('the budget of large answers', () => {
  let http: HttpServer
  let port: number
  let counted: number
  const parts = { companyBytes: 16 * PART, processBytes: 32 * PART, reservedBytes: 8 * PART }
  const LIMITS = { ...parts, modestBytes: 4 * PART, waitMs: 100 }
  /** Unread answers are kept, however slowly the test runs. */
  const NEVER_CUT = { limits: { idleMs: 600_000, wholeMs: 600_000 } }
  afterEach(() => http.stop(0))

  /** Answers /<company>/<bytes>. It reserves room first, unless the query says that the size comes as a surprise. */
  beforeEach(async () => {
    counted = 0
    const budget = new AnswerBudget((bytes) => (counted = bytes), LIMITS)
    http = createHttpServer(async (request, response) => {
      const { pathname, search } = new URL(request.url ?? '', 'http://localhost')
      const [, companyId = '', size] = pathname.split('/')
      try {
        const tenant = { companyId, environment: 'live' } as const
        const make = async (makeRoom: (bytes: number) => Promise<void>) => {
          if (search === '') await makeRoom(Number(size))
          return Buffer.alloc(Number(size))
        }
        response.end(await budget.serve(tenant, response, (wait) => wait(), make))
      } catch (error) {
        const { code, headers } = error as ApiError
        response.writeHead(429, headers).end(code)
      }
    }, NEVER_CUT)
    port = (await listenOnLoopback(http.server)).port
  })

  /** Requests an answer without reading it, and waits until the server counts it. */
  async function leaveUnread(path: string) {
    const [socket] = await openSockets(port, 1)
    const before = counted
    socket?.pause().write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
    await untilSo(() => counted > before)
  }

  /** The length of an answer, which the server then stops counting, or the code of a refusal. */
  async function ask(path: string, method = 'GET'): Promise<string | number> {
    const before = counted
    const asked = { method, headers: { connection: 'close' } }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, asked)
    if (response.status === 200) {
      const { byteLength } = await response.arrayBuffer()
      await untilIs(() => counted, before)
      return byteLength
    }
    expect(Number(response.headers.get('retry-after'))).to.be.at.least(1)
    return response.text()
  }

  it('holds one company to its part and all of them to that of the process, small answers left out', async () => {
    await leaveUnread(`/a/${14 * PART}`)
    expect(await ask(`/a/${4 * PART}`)).to.equal('RATE_LIMITED')
    expect(await ask(`/a/${4 * PART}?surprise`)).to.equal('RATE_LIMITED')
    expect(await ask(`/a/${60 * 1024}`)).to.equal(60 * 1024)
    expect(await ask(`/b/${11 * PART}`)).to.equal('SERVICE_UNAVAILABLE')
    await leaveUnread(`/b/${10 * PART}`)
    expect(await ask(`/c/${5 * PART}`)).to.equal('SERVICE_UNAVAILABLE')
    for (const company of ['c', 'd']) await leaveUnread(`/${company}/${4 * PART}`)
    expect(await ask(`/e/${PART}`)).to.equal('SERVICE_UNAVAILABLE')
  })

  it('lets an answer pass that is larger than its part where nothing else is counted, and never refuses that to a change', async () => {
    expect(await ask(`/a/${20 * PART}`)).to.equal(20 * PART)
    await leaveUnread(`/a/${14 * PART}`)
    expect(await ask(`/a/${8 * PART}?surprise`, 'POST')).to.equal(8 * PART)
  })
})
