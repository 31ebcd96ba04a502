import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { request } from 'node:https'
import path from 'node:path'
import { connect } from 'node:tls'
import { expect } from 'chai'
import { keepCertificate } from '../../scripts/receiver/certificate.ts'
import type { CutReason } from '../../src/api/edge/connections.ts'
import { createHttpServer, type HttpLimits, type HttpServer } from '../../src/api/edge/http-server.ts'
import { stackDeps } from '../support/database.ts'
import { requiredEnv } from '../support/environment.ts'
import { createKeyring } from '../support/use-operations.ts'
import { listenOnLoopback, allClosed, openSockets } from '../support/loopback.ts'
import { untilIncludes, untilIs } from '../support/poll.ts'
import { rawRequest } from '../support/raw-http.ts'
import { useStack } from '../support/use-stack.ts'

describe('connections that never send a request', () => {
  let files: Awaited<ReturnType<typeof keepCertificate>>
  before(async () => {
    files = await keepCertificate(await mkdtemp(path.join(requiredEnv('TEST_RUN_DIR'), 'silent-')))
  })

  /** Sends a GET over TLS on a new connection and returns the status. */
  const ask = (port: number, headers: Record<string, string> = {}, at = '/') =>
    new Promise<number | undefined>((resolve, reject) => {
      const options = { host: '127.0.0.1', port, path: at, ca: files.cert, agent: false, headers }
      request(options, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end()
    })

  /** Sends one request on a connection that stays open. Returns how long the api promises to keep it. */
  async function talk(port: number) {
    const socket = connect({ host: '127.0.0.1', port, ca: files.cert }).on('error', () => undefined)
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    const [bytes] = (await once(socket, 'data')) as [Buffer]
    return { socket, answer: /^Keep-Alive: (.+)\r$/im.exec(bytes.toString())?.[1] }
  }

  describe('at the TLS port', () => {
    let http: HttpServer
    const cuts: CutReason[] = []
    async function start(limits: Partial<HttpLimits>): Promise<number> {
      const onCut = (reason: CutReason) => cuts.push(reason)
      http = createHttpServer((_request, response) => response.end(), { tls: files, limits, onCut })
      return (await listenOnLoopback(http.server)).port
    }
    beforeEach(() => cuts.splice(0))
    afterEach(() => http.stop(0))

    // decision: Connections have bounds before they are authenticated
    it('are closed at the deadline of the handshake, also when they send byte after byte', async function () {
      const port = await start({ handshakeMs: 1_000 })
      const sockets = await openSockets(port, 50)
      // The head of a TLS record that announces more bytes than the client sends.
      const [first] = sockets
      first?.write(Buffer.from([0x16, 0x03, 0x01, 0x40, 0x00, 0x01, 0x00, 0x3f, 0xfc]))
      const drip = setInterval(() => first?.write(Buffer.from([0x00])), 50)
      const openedMs = performance.now()
      await allClosed(sockets)
      clearInterval(drip)
      this.runnable().title += ` (50 closed after ${((performance.now() - openedMs) / 1000).toFixed(1)} s, at a deadline of 1 s)`
      expect(cuts).to.deep.equal(Array.from({ length: 50 }, () => 'handshake'))
    })

    it('keep nobody else from shaking hands', async () => {
      const port = await start({ handshakeMs: 600_000 })
      const sockets = await openSockets(port, 50)
      expect(await ask(port)).to.equal(200)
      for (const socket of sockets) socket.destroy()
    })

    it('are closed at once when they send what is no handshake', async () => {
      const port = await start({ handshakeMs: 600_000 })
      const sockets = await openSockets(port, 5)
      for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
      await allClosed(sockets)
      await untilIs(() => connectionsOf(http), 0)
    })

    for (const [whose, reason, limits] of [
      ['the process', 'process_limit', { perProcess: 4 }],
      ['one address', 'address_limit', { perAddress: 4 }],
    ] as const)
      // decision: Connections have bounds before they are authenticated
      it(`take no more than the places of ${whose}, and leave them to others when they end`, async () => {
        const port = await start(limits)
        const sockets = await openSockets(port, 4)
        await allClosed(await openSockets(port, 3))
        expect(cuts).to.deep.equal([reason, reason, reason])
        for (const socket of sockets) socket.destroy()
        await untilIs(() => connectionsOf(http), 0)
        expect(await ask(port)).to.equal(200)
      })

    // decision: Connections have bounds before they are authenticated
    it('make room when places get few, if their last answer is behind them', async () => {
      const port = await start({ perProcess: 8 })
      const idle = await Promise.all(Array.from({ length: 5 }, () => talk(port)))
      expect(idle.map(({ answer }) => answer)).to.deep.equal(idle.map(() => 'timeout=65'))
      const silent = await openSockets(port, 2)
      await allClosed(idle.map(({ socket }) => socket))
      silent.push(...(await openSockets(port, 5)))
      expect((await talk(port)).answer).to.equal('timeout=5')
      expect(silent.filter(({ closed }) => closed)).to.deep.equal([])
      expect(cuts).to.deep.equal([])
    })

    it('may be more of one address when it is that of a trusted proxy', async () => {
      const port = await start({ perAddress: 1, isTrustedProxy: (address) => address === '127.0.0.1' })
      await openSockets(port, 3)
      expect(await ask(port)).to.equal(200)
    })
  })

  describe('at an api that is told to stop', () => {
    const use = useStack({ workers: 0 })
    const createKey = async () => (await createKeyring(stackDeps(use.stack))).create()

    // decision: A stop of the api
    it('do not delay the stop: the api ends long before its grace period, and the last usage is written', async function () {
      const tls = { TLS_CERT_FILE: files.certFile, TLS_KEY_FILE: files.keyFile }
      // The test would time out if the api waited for the end of this grace period.
      const api = await use.stack.startApi({ ...tls, SHUTDOWN_GRACE: '1h' })
      const port = Number(new URL(api.url).port)
      const { id, secret } = await createKey()
      const [silent] = await openSockets(port, 1)
      const headers = { authorization: `Bearer ${secret}` }
      for (let call = 0; call < 3; call++) expect(await ask(port, headers, '/api-v1-webhooks')).to.equal(200)
      const stoppingMs = performance.now()
      expect(await api.stop()).to.equal(0)
      this.runnable().title += ` (stopped in ${Math.round(performance.now() - stoppingMs)} ms)`
      await allClosed([silent!])
      const [requests] = (await use.stack.db('api_keys').where({ id }).pluck('request_count')) as unknown[]
      expect(Number(requests)).to.equal(3)
    })

    // decision: A stop of the api
    it('do not delay the stop without TLS either, while a request under way gets its answer', async () => {
      const api = await use.stack.startApi({ SHUTDOWN_GRACE: '1h' })
      const port = Number(new URL(api.url).port)
      const { secret } = await createKey()
      const [silent, half, under] = await openSockets(port, 3)
      half!.write('GET /api-v1-webhooks HTTP/1.1\r\nHost: a\r\n')
      const body = JSON.stringify({ name: 'x', url: 'https://example.com/', events: ['deal.created'] })
      // The 100 Continue shows that the request has arrived.
      const headers = [`Content-Length: ${body.length}`, 'Content-Type: application/json']
      let text = ''
      under!.on('data', (chunk: Buffer) => (text += chunk.toString()))
      under!.write(rawRequest(secret, 'POST', '/api-v1-webhooks', [...headers, 'Expect: 100-continue']))
      await untilIncludes(() => text, '100 Continue')
      const stopped = api.stop()
      await allClosed([silent!, half!])
      under!.write(body)
      expect(await stopped).to.equal(0)
      expect(text).to.match(/HTTP\/1\.1 201 Created\r\n[^]*Connection: close\r\n/i)
    })
  })
})

const connectionsOf = ({ server }: HttpServer): Promise<number> =>
  new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )
