import { once } from 'node:events'
import { connect, type TLSSocket } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { toConnection, type Connection } from '../../../src/sending/connection-pool.ts'
import { startDeadline, StepClock, type Deadline } from '../../../src/sending/deadline.ts'
import { exchange } from '../../../src/sending/response-reader.ts'
import { createCertificate, type Certificate } from '../../support/certificates.ts'
import * as raw from '../../support/raw-endpoint.ts'

const ELAPSED_MS = 7
/** The attempt's time ends this long after the endpoint began to answer. */
const SHORT = { overAfterMs: 200 }
const REQUEST = { path: '/hook?a=b', headers: ['x-a', 'b'], body: Buffer.from('{"a":1}') }

describe('the response reader', () => {
  let certificate: Certificate
  let endpoint: raw.RawEndpoint
  let connection: Connection
  let respond: raw.Respond

  before(async () => {
    certificate = await createCertificate(['127.0.0.1'])
    endpoint = await raw.startRawEndpoint(certificate, (socket, index) => respond(socket, index))
  })
  after(() => endpoint.close())
  beforeEach(async () => {
    const socket = connect({ port: endpoint.port, host: '127.0.0.1', ca: certificate.cert })
    socket.on('error', () => undefined)
    await once(socket, 'secureConnect')
    connection = toConnection(`https://127.0.0.1:${endpoint.port}`, socket)
  })
  afterEach(() => connection.socket.destroy())

  async function read(respondBy: raw.Respond, { overAfterMs = 60_000 } = {}) {
    const over = new AbortController()
    let deadline: Deadline | undefined
    respond = (socket, index) => {
      respondBy(socket, index)
      deadline = startDeadline(overAfterMs)
      deadline.signal.addEventListener('abort', () => over.abort())
    }
    const times = { signal: over.signal, elapsedMs: () => ELAPSED_MS, clear: () => undefined }
    try {
      return await exchange(connection, REQUEST, times, new StepClock())
    } finally {
      deadline?.clear()
    }
  }
  /** Reads these bytes as a response. */
  const readText = (text: string | Buffer, options = {}) => read((socket) => socket.write(text), options)

  describe('reads', () => {
    for (const status of [200, 201, 204, 299, 301, 304, 400, 404, 410, 429, 500, 503, 599, 600, 999])
      it(`status ${status} as it is`, async () => {
        const reading = await readText(raw.answer(status, status === 204 || status === 304 ? '' : 'text'))
        expect(reading).to.include({ kind: 'answered', status }).and.not.have.property('error')
      })

    // decision: Location
    it('where a 3xx points to, the first of several, and nothing of the kind with other answers', async () => {
      const redirect = raw.answer(307, '', ['Location: /first', 'location: /second'])
      expect(await readText(redirect)).to.include({ location: '/first' })
      const created = await readText(raw.answer(201, '', ['location: /made']))
      expect(created).to.include({ status: 201 }).and.not.have.property('location')
    })

    it('Retry-After as received, the first of several, and the final status after early hints and a 100 that nobody asked for', async () => {
      const reading = await readText(raw.answer(503, '', ['retry-after: 120', 'Retry-After: 9']))
      expect(reading).to.include({ status: 503, retryAfter: '120' })
      const hints = raw.head(100) + raw.head(103, 'link: </a>').repeat(3) + raw.head(100)
      expect(await readText(hints + raw.answer(200, 'ok'))).to.include({ status: 200, body: 'ok' })
    })

    it('a body in chunks and leaves the connection open', async () => {
      const chunked = `${raw.head(200, 'transfer-encoding: chunked')}3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`
      expect(await readText(chunked)).to.include({ body: 'abcde' })
      expect(connection.socket.destroyed).to.equal(false)
    })

    it('a body that ends with the connection', async () => {
      const reading = await read((socket) => socket.end(`${raw.head(200)}until close`))
      const none = { retryAfter: undefined, headers: '{"headers":[],"isCut":false}' }
      const answered = { kind: 'answered', status: 200, body: 'until close', durationMs: ELAPSED_MS }
      expect(reading).to.deep.equal({ ...answered, ...none })
    })

    // decision: The service's own headers win
    it('no more than the bytes of a compressed body', async () => {
      const bomb = gzipSync(Buffer.alloc(20_000_000))
      const start = raw.head(200, 'content-encoding: gzip', `content-length: ${bomb.length}`)
      const reading = await readText(Buffer.concat([Buffer.from(start), bomb]))
      expect(reading).to.include({ kind: 'answered', status: 200 })
      expect(Buffer.byteLength('body' in reading ? reading.body : '')).to.be.at.most(16_384)
    })

    it('16 KiB of a body of up to 64 KiB, and keeps the connection', async () => {
      const reading = await readText(raw.answer(200, 'é'.repeat(32_768)))
      expect(reading)
        .to.include({ kind: 'answered', status: 200, body: 'é'.repeat(8_192) })
        .and.not.have.property('error')
      expect(connection.socket.destroyed).to.equal(false)
    })
  })

  describe('lets the status decide when the body', () => {
    it('is larger than 64 KiB, and ends the connection', async () => {
      const reading = await readText(raw.answer(200, 'a'.repeat(65_537)))
      const kept = { status: 200, body: 'a'.repeat(16_384) }
      expect(reading).to.include({ kind: 'answered', ...kept, error: 'body_too_large' })
      expect(connection.socket.destroyed).to.equal(true)
    })

    for (const [name, start] of [
      ['never ends', raw.head(500)],
      ['hides an endless stream in a chunk extension', `${raw.head(500, 'transfer-encoding: chunked')}5;x=`],
    ] as const)
      it(`${name}: little of it is ever taken`, async () => {
        const reading = await read((socket) => {
          socket.write(start)
          raw.writeForever(socket, Buffer.alloc(65_536, 'x'))
        })
        expect(reading).to.include({ status: 500, error: 'body_too_large' })
        expect(connection.socket.bytesRead).to.be.lessThan(1_500_000)
      })

    // decision: Success
    it('drips', async () => {
      const reading = await read((socket) => {
        socket.write(raw.head(200, 'content-length: 1000'))
        raw.writeEvery(socket, 20, 'x')
      }, SHORT)
      expect(reading).to.include({ kind: 'answered', status: 200, error: 'body_timeout' })
      expect('body' in reading && reading.body).to.match(/^x+$/)
      expect(connection.socket.destroyed).to.equal(true)
    })

    it('stalls', async () => {
      const reading = await readText(`${raw.head(200, 'content-length: 10')}abc`, SHORT)
      expect(reading).to.include({ status: 200, body: 'abc', error: 'body_timeout' })
    })

    for (const [name, rest] of [
      ['is cut', `${raw.head(200, 'content-length: 10')}abc`],
      ['is cut between chunks', `${raw.head(200, 'transfer-encoding: chunked')}3\r\nabc\r\n`],
      ['breaks its framing', `${raw.head(200, 'transfer-encoding: chunked')}3\r\nabc\r\nzz\r\n`],
    ] as const)
      it(name, async () => {
        const reading = await read((socket) => socket.end(rest))
        expect(reading).to.include({ kind: 'answered', status: 200, body: 'abc', error: 'body_cut' })
      })
  })

  describe('fails', () => {
    const drips: raw.Respond = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx: ')
      raw.writeEvery(socket, 20, 'a')
    }
    const tooLong = raw.head(200, `x: ${'a'.repeat(17_000)}`, 'content-length: 0')
    const contradicting = raw.head(200, 'content-length: 3', 'content-length: 4')
    /** Named by the endpoint's behaviour or by the bytes that it writes. */
    const failures: readonly (readonly [reason: string, when: string, by: raw.Respond | string])[] = [
      ['dead', 'when the peer closes', (socket) => socket.end()],
      ['dead', 'when the peer breaks off', (socket) => socket.destroy()],
      ['connection_reset', 'in the middle of a head', (socket) => socket.end('HTTP/1.1 200 OK\r\nx:')],
      ['response_timeout', 'on silence', () => undefined],
      ['response_timeout', 'in the middle of a head', 'HTTP/1.1 200 OK\r\n'],
      ['response_timeout', 'on a head that drips', drips],
      ['protocol_error', 'on another protocol', 'SSH-2.0-OpenSSH_9\r\n'],
      ['protocol_error', 'on 101', raw.head(101, 'connection: upgrade', 'upgrade: x')],
      ['protocol_error', 'on 101 that names no protocol', raw.head(101)],
      ['protocol_error', 'on a status below 100', 'HTTP/1.1 099 Low\r\ncontent-length: 0\r\n\r\n'],
      ['protocol_error', 'on a head above 16 KiB', tooLong],
      ['protocol_error', 'on contradicting lengths', contradicting],
    ]
    for (const [reason, when, by] of failures)
      it(`with ${reason} ${when}`, async () => {
        const respondBy = typeof by === 'string' ? (socket: TLSSocket) => void socket.write(by) : by
        const reading = await read(respondBy, reason === 'response_timeout' ? SHORT : {})
        const kinds = reason === 'dead' ? { kind: 'dead' } : { kind: 'unreachable', reason }
        expect(reading).to.deep.equal({ ...kinds, durationMs: ELAPSED_MS })
        expect(connection.socket.destroyed).to.equal(true)
      })

    const endless: readonly (readonly [string, raw.Respond])[] = [
      ['informational answers', (socket) => raw.writeForever(socket, raw.head(100).repeat(50))],
      ['slow informational answers', (socket) => raw.writeEvery(socket, 5, raw.head(103))],
      ['blank lines', (socket) => raw.writeForever(socket, '\r\n'.repeat(1_000))],
      ['header lines', (socket) => raw.writeForever(socket, 'HTTP/1.1 200 OK' + '\r\nx: y'.repeat(9_000))],
    ]
    for (const [what, respondBy] of endless) {
      // decision: Answers without end
      it(`with protocol_error on ${what} without end, after little of them`, async () => {
        expect(await read(respondBy)).to.include({ kind: 'unreachable', reason: 'protocol_error' })
        expect(connection.socket.destroyed).to.equal(true)
        expect(connection.socket.bytesRead).to.be.lessThan(1_000_000)
      })
    }

    it('as dead when the connection was gone before, without asking for another', async () => {
      const opened = endpoint.connectionCount()
      connection.socket.destroy(Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }))
      const reading = await read(() => undefined)
      expect(reading).to.deep.equal({ kind: 'dead', durationMs: ELAPSED_MS })
      expect(endpoint.connectionCount()).to.equal(opened)
    })
  })
})
