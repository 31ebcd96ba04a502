import { once } from 'node:events'
import { connect } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { expect, use } from 'chai'
import chaiAsPromised from 'chai-as-promised'
import { toConnection, type Connection } from '../../../src/sending/connection-pool.ts'
import { startDeadline } from '../../../src/sending/deadline.ts'
import { exchange } from '../../../src/sending/response-reader.ts'
import { StepClock } from '../../../src/sending/step-clock.ts'
import { createCertificate, type Certificate } from '../../support/certificates.ts'
import {
  answer,
  head,
  startRawEndpoint,
  writeEvery,
  writeForever,
  type RawEndpoint,
  type Respond,
} from '../../support/raw-endpoint.ts'

use(chaiAsPromised)

/** Enough for every answer that comes; those that never do are waited for shortly. */
const [TIMEOUT_MS, SHORT] = [5_000, { timeoutMs: 200 }]
const ELAPSED_MS = 7
const REQUEST = { path: '/hook?a=b', headers: ['x-a', 'b'], body: Buffer.from('{"a":1}') }

describe('the response reader', () => {
  let certificate: Certificate
  let endpoint: RawEndpoint
  let connection: Connection
  let respond: Respond

  before(async () => {
    certificate = await createCertificate(['127.0.0.1'])
    endpoint = await startRawEndpoint(certificate, (socket, index) => respond(socket, index))
  })
  after(() => endpoint.close())
  beforeEach(async () => {
    const socket = connect({ port: endpoint.port, host: '127.0.0.1', ca: certificate.cert })
    socket.on('error', () => undefined)
    await once(socket, 'secureConnect')
    connection = toConnection(`https://127.0.0.1:${endpoint.port}`, socket)
  })
  afterEach(() => connection.socket.destroy())

  async function read(respondBy: Respond, { request = REQUEST, timeoutMs = TIMEOUT_MS } = {}) {
    respond = respondBy
    const deadline = startDeadline(timeoutMs)
    try {
      return await exchange(
        connection,
        request,
        { ...deadline, elapsedMs: () => ELAPSED_MS },
        new StepClock(),
      )
    } finally {
      deadline.clear()
    }
  }

  describe('reads', () => {
    for (const status of [200, 201, 204, 299, 301, 304, 400, 404, 410, 429, 500, 503, 599, 600, 999]) {
      it(`status ${status} as it is`, async () => {
        const reading = await read((socket) =>
          socket.write(answer(status, status === 204 || status === 304 ? '' : 'text')),
        )
        expect(reading).to.include({ kind: 'answered', status })
        expect(reading).not.to.have.property('error')
      })
    }

    it('a redirect without following it', async () => {
      const asked = endpoint.requests.length
      const reading = await read((socket) =>
        socket.write(answer(302, 'moved', [`location: ${endpoint.url}`])),
      )
      expect(reading).to.include({ kind: 'answered', status: 302, body: 'moved' })
      expect(endpoint.requests.length).to.equal(asked + 1)
    })

    // decision: Location
    it('where a 3xx points to, the first of several, and nothing of the kind with other answers', async () => {
      const redirect = answer(307, '', ['Location: /first', 'location: /second'])
      expect(await read((socket) => socket.write(redirect))).to.include({ location: '/first' })
      const created = await read((socket) => socket.write(answer(201, '', ['location: /made'])))
      expect(created).to.include({ status: 201 }).and.not.have.property('location')
    })

    it('a Location of any bytes as text that can be stored', async () => {
      const head = 'HTTP/1.1 302 Test\r\ncontent-length: 0\r\nlocation: /a'
      const reading = await read((socket) => {
        socket.write(
          Buffer.concat([Buffer.from(head), Buffer.from([0xff, 0xc2, 0x85]), Buffer.from('b\r\n\r\n')]),
        )
      })
      expect(reading).to.include({ status: 302, location: '/a\ufffd\ufffdb' })
    })

    it('Retry-After as received, the first of several', async () => {
      expect(
        await read((socket) => socket.write(answer(503, '', ['retry-after: 120', 'Retry-After: 9']))),
      ).to.include({
        status: 503,
        retryAfter: '120',
      })
    })

    it('a body in chunks and leaves the connection open', async () => {
      const chunked = `${head(200, 'transfer-encoding: chunked')}3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`
      expect(await read((socket) => socket.write(chunked))).to.include({ body: 'abcde' })
      expect(connection.socket.destroyed).to.equal(false)
    })

    it('a body that ends with the connection', async () => {
      expect(await read((socket) => socket.end(`${head(200)}until close`))).to.deep.equal({
        kind: 'answered',
        status: 200,
        body: 'until close',
        retryAfter: undefined,
        headers: '{"headers":[],"isCut":false}',
        durationMs: ELAPSED_MS,
      })
    })

    it('the final status after early hints', async () => {
      const hints = head(103, 'link: </a>').repeat(3)
      expect(await read((socket) => socket.write(hints + answer(200, 'ok')))).to.include({
        status: 200,
        body: 'ok',
      })
    })

    // decision: The service's own headers win
    it('no more than the bytes of a compressed body', async () => {
      const bomb = gzipSync(Buffer.alloc(20_000_000))
      const reading = await read((socket) => {
        socket.write(head(200, 'content-encoding: gzip', `content-length: ${bomb.length}`))
        socket.write(bomb)
      })
      expect(reading).to.include({ kind: 'answered', status: 200 })
      expect(Buffer.byteLength('body' in reading ? reading.body : '')).to.be.at.most(16_384)
    })

    it('16 KiB of a body of up to 64 KiB, and keeps the connection', async () => {
      const reading = await read((socket) => socket.write(answer(200, 'é'.repeat(32_768))))
      expect(reading)
        .to.include({ kind: 'answered', status: 200, body: 'é'.repeat(8_192) })
        .and.not.have.property('error')
      expect(connection.socket.destroyed).to.equal(false)
    })
  })

  describe('lets the status decide when the body', () => {
    it('is larger than 64 KiB, and ends the connection', async () => {
      const reading = await read((socket) => socket.write(answer(200, 'a'.repeat(65_537))))
      expect(reading).to.include({
        kind: 'answered',
        status: 200,
        body: 'a'.repeat(16_384),
        error: 'body_too_large',
      })
      expect(connection.socket.destroyed).to.equal(true)
    })

    for (const [name, start] of [
      ['never ends', head(500)],
      [
        'hides a stream without end in the extension of a chunk',
        `${head(500, 'transfer-encoding: chunked')}5;x=`,
      ],
    ] as const) {
      it(`${name}: little of it is ever taken`, async () => {
        const reading = await read((socket) => {
          socket.write(start)
          writeForever(socket, Buffer.alloc(65_536, 'x'))
        })
        expect(reading).to.include({ status: 500, error: 'body_too_large' })
        expect(connection.socket.bytesRead).to.be.lessThan(1_500_000)
      })
    }

    it('drips', async () => {
      const reading = await read((socket) => {
        socket.write(head(200, 'content-length: 1000'))
        writeEvery(socket, 20, 'x')
      }, SHORT)
      expect(reading).to.include({ kind: 'answered', status: 200, error: 'body_timeout' })
      expect('body' in reading && reading.body).to.match(/^x+$/)
      expect(connection.socket.destroyed).to.equal(true)
    })

    it('stalls', async () => {
      const reading = await read((socket) => socket.write(`${head(200, 'content-length: 10')}abc`), SHORT)
      expect(reading).to.include({ status: 200, body: 'abc', error: 'body_timeout' })
    })

    for (const [name, rest] of [
      ['is cut', `${head(200, 'content-length: 10')}abc`],
      ['is cut between chunks', `${head(200, 'transfer-encoding: chunked')}3\r\nabc\r\n`],
      ['breaks its framing', `${head(200, 'transfer-encoding: chunked')}3\r\nabc\r\nzz\r\n`],
    ] as const) {
      it(name, async () => {
        const reading = await read((socket) => socket.end(rest))
        expect(reading).to.include({ kind: 'answered', status: 200, body: 'abc', error: 'body_cut' })
      })
    }
  })

  describe('fails', () => {
    const failures: readonly (readonly [string, string, Respond])[] = [
      ['as dead when the peer closes', 'dead', (socket) => socket.end()],
      ['as dead when the peer breaks off', 'dead', (socket) => socket.destroy()],
      [
        'with connection_reset in the middle of a head',
        'connection_reset',
        (s) => s.end('HTTP/1.1 200 OK\r\nx:'),
      ],
      ['with response_timeout on silence', 'response_timeout', () => undefined],
      [
        'with response_timeout in the middle of a head',
        'response_timeout',
        (s) => s.write('HTTP/1.1 200 OK\r\n'),
      ],
      [
        'with response_timeout on a head that drips',
        'response_timeout',
        (socket) => {
          socket.write('HTTP/1.1 200 OK\r\nx: ')
          writeEvery(socket, 20, 'a')
        },
      ],
      [
        'with protocol_error on another protocol',
        'protocol_error',
        (socket) => socket.write('SSH-2.0-OpenSSH_9\r\n'),
      ],
      [
        'with protocol_error on 101',
        'protocol_error',
        (s) => s.write(head(101, 'connection: upgrade', 'upgrade: x')),
      ],
      ['with protocol_error on 100 that nobody asked for', 'protocol_error', (s) => s.write(head(100))],
      [
        'with protocol_error on a head above 16 KiB',
        'protocol_error',
        (socket) => socket.write(head(200, `x: ${'a'.repeat(17_000)}`, 'content-length: 0')),
      ],
      [
        'with protocol_error on contradicting lengths',
        'protocol_error',
        (socket) => socket.write(head(200, 'content-length: 3', 'content-length: 4')),
      ],
    ]
    for (const [name, reason, respondBy] of failures) {
      it(name, async () => {
        const reading = await read(respondBy, reason === 'response_timeout' ? SHORT : {})
        const kinds = reason === 'dead' ? { kind: 'dead' } : { kind: 'unreachable', reason }
        expect(reading).to.deep.equal({ ...kinds, durationMs: ELAPSED_MS })
        expect(connection.socket.destroyed).to.equal(true)
      })
    }

    const endless: readonly (readonly [string, Respond])[] = [
      ['informational answers', (socket) => writeForever(socket, head(103).repeat(50))],
      ['slow informational answers', (socket) => writeEvery(socket, 5, head(103))],
      ['blank lines', (socket) => writeForever(socket, '\r\n'.repeat(1_000))],
      ['header lines', (socket) => writeForever(socket, 'HTTP/1.1 200 OK' + '\r\nx: y'.repeat(9_000))],
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

    it('with an exception when the request cannot be put into bytes, which is our own fault', async () => {
      const request = { ...REQUEST, headers: ['x-a', 'line\nbreak'] }
      await expect(read(() => undefined, { request })).to.be.rejectedWith('invalid x-a header')
    })
  })
})
