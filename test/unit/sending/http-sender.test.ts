import type { Socket } from 'node:net'
import { mock } from 'node:test'
import { setImmediate as immediate, setTimeout as delay } from 'node:timers/promises'
import { expect, use } from 'chai'
import chaiAsPromised from 'chai-as-promised'
import { startRawEndpoint, startTcpServer } from '../../support/raw-endpoint.ts'
import { REQUEST, SENT_BODY, setUpSender } from '../../support/sender-setup.ts'
import type { SignedRequest } from '../../../src/sending/http-sender.ts'
import type { StepTimes } from '../../../src/domain/delivery/delivery.ts'

use(chaiAsPromised)

describe('the HTTP sender', () => {
  const setup = setUpSender()
  const { send, createSender } = setup

  describe('request', () => {
    // decision: Bytes
    it('is a POST of exactly the given bytes, with the given headers and its own last', async () => {
      const odd = { 'X-Tag': 'caf\xe9', 'Content-Type': 'text/plain', constructor: 'kept' }
      const headers = { 'webhook-id': 'evt_1', ...odd }
      await send({ url: `${setup.endpoint.url}/a%20b?c=d&e`, request: { headers, body: SENT_BODY } })
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
      await send({ request: { headers: {}, body } })
      expect(setup.endpoint.requests[0]?.endsWith(body.toString('latin1'))).to.equal(true)
    })
  })

  describe('outcome', () => {
    // decision: Times
    it('is unreachable with response_timeout when the one deadline ends', async () => {
      const sender = createSender({ timeoutMs: 1_000 })
      setup.cleanUps.push(() => sender.close())
      await send({}, sender)
      setup.respond = () => undefined
      const outcome = await send({}, sender)
      expect(outcome).to.include({ kind: 'unreachable', reason: 'response_timeout' })
      expect(outcome.durationMs).to.be.at.least(995)
    })

    it('is tls_error when the peer wants a certificate of ours', async () => {
      const tls = { ...setup.certificate, requestCert: true, ca: setup.certificate.cert }
      const strict = await startRawEndpoint(tls, () => undefined)
      setup.cleanUps.push(() => strict.close())
      expect(await send({ url: strict.url })).to.include({ kind: 'unreachable', reason: 'tls_error' })
    })

    it('is blocked_address for URLs that are not allowed, and nothing is connected', async () => {
      const guarded = createSender({ allowedNetworks: [] })
      const port = setup.endpoint.port
      for (const url of [setup.endpoint.url, `https://localhost:${port}/`, 'http://a.example/']) {
        const outcome = await send({ url }, guarded)
        expect(outcome, url).to.include({ kind: 'unreachable', reason: 'blocked_address' })
      }
      expect(setup.endpoint.connectionCount()).to.equal(0)
    })

    // decision: Names that resolve to no public address
    it('is dns_error without any times for a name that is unknown or leads to a private address', async () => {
      const url = `https://hook.example:${setup.endpoint.port}/`
      const unknown = { kind: 'unreachable', reason: 'dns_error', durationMs: 0 }
      expect(await send({ url })).to.deep.equal(unknown)
      setup.answerTo = () => ['10.9.8.7']
      expect(await send({ url })).to.deep.equal({ ...unknown, isBlocked: true })
    })
  })

  describe('connection', () => {
    it('is ready before anything is sent, and left for the next attempt when this one sends nothing', async () => {
      const sign = () => void expect(setup.endpoint.connectionCount()).to.equal(1)
      expect(await send({ sign })).to.equal(undefined)
      expect(setup.endpoint.requests).to.deep.equal([])
      expect(await send()).to.include({ kind: 'answered', status: 200 })
      expect(setup.endpoint.requests).to.have.length(1)
      expect(setup.endpoint.connectionCount()).to.equal(1)
    })

    it('passes on what the work before the request throws, survives, and counts its time in the one duration, whole milliseconds', async () => {
      const failing = () => Promise.reject(new Error('the database is away'))
      await expect(send({ sign: (within) => within(failing()) })).to.be.rejectedWith('away')
      const outcome = await send({ sign: (within) => within(delay(60, REQUEST)) })
      expect(setup.endpoint.connectionCount()).to.equal(1)
      expect(outcome.durationMs).to.be.at.least(55)
      expect(Number.isInteger(outcome.durationMs)).to.equal(true)
    })

    it('survives a request that cannot be put into bytes no longer than that request', async () => {
      const request = { headers: { 'x-a': 'line\nbreak' }, body: SENT_BODY }
      await expect(send({ request })).to.be.rejectedWith('invalid x-a header')
      expect(await send()).to.include({ kind: 'answered', status: 200 })
      expect(setup.endpoint.requests).to.have.length(1)
    })

    it('makes work that takes longer than the attempt our own fault, not an outcome', async () => {
      mock.timers.enable({ apis: ['setTimeout'] })
      setup.cleanUps.push(() => mock.timers.reset())
      const sender = createSender({ timeoutMs: 15_000 })
      const tooLong = (within: (work: Promise<never>) => Promise<never>): Promise<SignedRequest> => {
        const worked = within(new Promise(() => undefined))
        mock.timers.tick(15_000)
        return worked
      }
      await expect(send({ sign: tooLong }, sender)).to.be.rejectedWith('time of the attempt is over')
      const late: typeof tooLong = (within) => tooLong(within).catch(() => REQUEST)
      await expect(send({ sign: late }, sender)).to.be.rejectedWith('time of the attempt is over')
      expect(setup.endpoint.requests).to.deep.equal([])
    })

    it('is not opened when the caller has no time left', async () => {
      await expect(send({ withinMs: 0 })).to.be.rejectedWith('no time')
      expect(setup.endpoint.connectionCount()).to.equal(0)
    })
  })
})

/** The steps of an attempt that have a measured time. */
const measured = ({ steps }: { readonly steps?: StepTimes | undefined }): string[] =>
  Object.entries(steps ?? {}).flatMap(([step, ms]) => (ms === null ? [] : [step]))

// decision: Steps of an attempt
describe('the steps of an attempt', () => {
  const setup = setUpSender()
  const { send, createSender } = setup
  const named = () => `https://hook.example:${setup.endpoint.port}/hook`
  beforeEach(() => (setup.answerTo = () => ['127.0.0.1']))

  it('are all measured on a new connection, and only the wait for the answer on a kept one', async () => {
    const outcome = await send({ url: named() })
    expect(measured(outcome)).to.deep.equal(['dnsMs', 'connectMs', 'tlsMs', 'firstByteMs'])
    const sum = Object.values(outcome.steps ?? {}).reduce<number>((total, ms) => total + (ms ?? 0), 0)
    // Each time is rounded separately.
    expect(sum).to.be.at.most(outcome.durationMs + 2)
    expect(measured(await send({ url: named() }))).to.deep.equal(['firstByteMs'])
    expect(measured(await send()), 'no name').to.deep.equal(['connectMs', 'tlsMs', 'firstByteMs'])
  })

  it('count the wait for the first byte, and not for the last one', async () => {
    const respond = async (socket: Socket) => {
      await delay(60)
      socket.write('HTTP/1.1 200 OK\r\n')
      // The sender in this process reads these bytes before the next timer, however late that timer is.
      for (let turn = 0; turn < 3; turn++) await immediate()
      await delay(200)
      socket.write('content-length: 0\r\n\r\n')
    }
    setup.respond = (socket) => void respond(socket)
    const { steps, durationMs } = await send()
    expect(steps?.firstByteMs).to.be.at.least(55)
    expect(durationMs - steps!.firstByteMs!).to.be.at.least(195)
  })

  it('end with the step that failed, measured up to its failure', async () => {
    const failureOf = async (url: string, sender = setup.sender) => {
      const { kind, steps, ...outcome } = await send({ url }, sender)
      expect(kind).to.equal('unreachable')
      return [(outcome as { reason: string }).reason, ...measured({ steps })].join(' ')
    }
    setup.answerTo = () => 'NXDOMAIN'
    expect(await failureOf(named())).to.equal('dns_error')
    setup.answerTo = () => ['127.0.0.1']
    const untrusting = createSender({ ca: undefined })
    expect(await failureOf(named(), untrusting)).to.equal('tls_error dnsMs connectMs tlsMs')
    const silent = await startTcpServer(() => undefined)
    const url = `https://hook.example:${silent.port}/`
    const hung = await send({ url }, createSender({ connectTimeoutMs: 100 }))
    expect(hung).to.include({ kind: 'unreachable', reason: 'connect_timeout' })
    const { dnsMs, connectMs, tlsMs } = hung.steps!
    expect(dnsMs! + connectMs! + (tlsMs ?? 0)).to.be.at.least(95)
    await silent.close()
    expect(await failureOf(url)).to.equal('connect_error dnsMs connectMs')
  })
})
