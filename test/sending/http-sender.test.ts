import { createServer, type Server } from 'node:https'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, use } from 'chai'
import chaiAsPromised from 'chai-as-promised'
import { answer, startRawEndpoint, startTcpServer } from '../support/raw-endpoint.js'
import { SENT_BODY, setUpSender } from '../support/sender-setup.js'

use(chaiAsPromised)

describe('the HTTP sender', () => {
  const setup = setUpSender()
  const { send, createSender } = setup

  describe('request', () => {
    // decision: Bytes
    it('is a POST of exactly the given bytes, with the prepared headers and its own last', async () => {
      const headers = {
        'webhook-id': 'evt_1',
        'X-Tag': 'caf\xe9',
        'Content-Type': 'text/plain',
        constructor: 'kept',
      }
      const prepare = () => Promise.resolve({ headers, body: SENT_BODY })
      await send({ url: `${setup.endpoint.url}/a%20b?c=d&e`, prepare })
      const [head = '', body = ''] = setup.endpoint.requests[0]?.split('\r\n\r\n') ?? []
      expect(head.split('\r\n')).to.deep.equal([
        'POST /hook/a%20b?c=d&e HTTP/1.1',
        `host: 127.0.0.1:${setup.endpoint.port}`,
        'connection: keep-alive',
        'webhook-id: evt_1',
        'X-Tag: caf\xe9',
        'constructor: kept',
        'content-type: application/json',
        'user-agent: SalesDataWebhooks/1.0',
        'accept-encoding: identity',
        `content-length: ${SENT_BODY.length}`,
      ])
      expect(Buffer.from(body, 'latin1').equals(SENT_BODY)).to.equal(true)
    })

    it('arrives whole when it is as large as an event may be', async () => {
      const body = Buffer.from(JSON.stringify({ text: 'é'.repeat(131_000) }))
      await send({ prepare: () => Promise.resolve({ headers: {}, body }) })
      expect(setup.endpoint.requests[0]?.endsWith(body.toString('latin1'))).to.equal(true)
    })
  })

  describe('outcome', () => {
    it('is answered with status, text, Retry-After and whole milliseconds', async () => {
      setup.respond = (socket) => socket.write(answer(503, 'later', ['retry-after: 7']))
      const outcome = await send()
      expect(outcome).to.include({ kind: 'answered', status: 503, body: 'later', retryAfter: '7' })
      expect('durationMs' in outcome && Number.isInteger(outcome.durationMs)).to.equal(true)
    })

    it('counts the whole attempt in its duration', async () => {
      setup.respond = (socket) => setTimeout(() => socket.write(answer(200)), 60)
      expect(await send())
        .to.have.property('durationMs')
        .that.is.within(55, 5_000)
    })

    // decision: Success
    it('is answered by the status when the body does not end in time', async () => {
      setup.respond = (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc')
      const outcome = await send({}, createSender({ timeoutMs: 300 }))
      expect(outcome).to.include({ kind: 'answered', status: 200, body: 'abc', error: 'body_timeout' })
      expect(outcome).to.have.property('durationMs').that.is.within(295, 5_000)
    })

    // decision: Times
    it('is unreachable with response_timeout when the one deadline ends', async () => {
      setup.respond = () => undefined
      const outcome = await send({}, createSender({ timeoutMs: 300 }))
      expect(outcome).to.include({ kind: 'unreachable', reason: 'response_timeout' })
      expect(outcome).to.have.property('durationMs').that.is.within(295, 5_000)
    })

    it('is unreachable with the reason of the failed connection', async () => {
      const untrusting = createSender({ ca: undefined })
      expect(await send({}, untrusting)).to.include({ kind: 'unreachable', reason: 'tls_error' })
      const silent = await startTcpServer(() => undefined)
      const url = `https://127.0.0.1:${silent.port}/`
      const hasty = createSender({ connectTimeoutMs: 100 })
      expect(await send({ url }, hasty)).to.include({ kind: 'unreachable', reason: 'connect_timeout' })
      await silent.close()
      expect(await send({ url })).to.include({ kind: 'unreachable', reason: 'connect_error' })
      expect(await send({ url: 'https://none.example/' })).to.include({
        kind: 'unreachable',
        reason: 'dns_error',
      })
    })

    it('is tls_error when the peer wants a certificate of ours', async () => {
      const strict = await startRawEndpoint(
        { ...setup.certificate, requestCert: true, ca: setup.certificate.cert },
        () => undefined,
      )
      setup.cleanUps.push(() => strict.close())
      expect(await send({ url: strict.url })).to.include({ kind: 'unreachable', reason: 'tls_error' })
    })

    it('is blocked_address for URLs and names that are not allowed, and nothing is connected', async () => {
      setup.answerTo = () => ['127.0.0.1']
      const guarded = createSender({ allowedNetworks: [] })
      const port = setup.endpoint.port
      for (const url of [
        setup.endpoint.url,
        `https://localhost:${port}/`,
        `https://hook.example:${port}/`,
        'http://a.example/',
      ]) {
        const outcome = await send({ url }, guarded)
        expect(outcome, url).to.include({ kind: 'unreachable', reason: 'blocked_address' })
      }
      expect(setup.endpoint.connectionCount()).to.equal(0)
    })
  })

  describe('prepare', () => {
    it('is called once, when the connection is ready, with the time that took', async () => {
      const calls: number[] = []
      await send({
        prepare: (connectedAfterMs) => {
          calls.push(connectedAfterMs)
          expect(setup.endpoint.connectionCount()).to.equal(1)
          expect(setup.endpoint.requests).to.deep.equal([])
          return Promise.resolve({ headers: {}, body: SENT_BODY })
        },
      })
      expect(calls).to.have.length(1)
      expect(calls[0]).to.be.within(0, 5_000)
    })

    it('is not called when no connection could be made', async () => {
      let isCalled = false
      const prepare = () => {
        isCalled = true
        return Promise.resolve(undefined)
      }
      await send({ url: 'https://none.example/', prepare })
      expect(isCalled).to.equal(false)
    })

    it('withdraws the attempt and leaves the connection for the next one', async () => {
      expect(await send({ prepare: () => Promise.resolve(undefined) })).to.deep.equal({ kind: 'withdrawn' })
      expect(setup.endpoint.requests).to.deep.equal([])
      expect(await send()).to.include({ kind: 'answered', status: 200 })
      expect(setup.endpoint.connectionCount()).to.equal(1)
    })

    it('passes its error on, and the connection survives', async () => {
      await expect(
        send({ prepare: () => Promise.reject(new Error('the database is away')) }),
      ).to.be.rejectedWith('away')
      await send()
      expect(setup.endpoint.connectionCount()).to.equal(1)
    })

    it('is our own fault, not an outcome, when it takes longer than the attempt has', async () => {
      const prepare = () => new Promise<never>(() => undefined)
      await expect(send({ prepare }, createSender({ timeoutMs: 200 }))).to.be.rejectedWith(
        'time of the attempt is over',
      )
    })
  })

  it('talks to an ordinary HTTPS server', async () => {
    const server: Server = createServer(setup.certificate, (request, response) =>
      request.resume().on('end', () => response.end('hi')),
    )
    setup.cleanUps.push(() => server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    expect(await send({ url: `https://localhost:${port}/` })).to.include({
      kind: 'answered',
      status: 200,
      body: 'hi',
    })
    expect(await send({ url: `https://localhost:${port}/` })).to.include({ status: 200, body: 'hi' })
  })
})
