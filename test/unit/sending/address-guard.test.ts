import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import type { TlsOptions, TLSSocket } from 'node:tls'
import { Worker } from 'node:worker_threads'
import { expect, use } from 'chai'
import chaiAsPromised from 'chai-as-promised'
import { createAddressGuard, type GuardOptions } from '../../../src/sending/address-guard.ts'
import { startDeadline, StepClock } from '../../../src/sending/deadline.ts'
import { Egress } from '../../../src/sending/egress.ts'
import { createHostResolver } from '../../../src/sending/host-resolver.ts'
import * as failures from '../../../src/sending/failures.ts'
import { parseNetworks } from '../../../src/domain/net/addresses.ts'
import { createCertificate, type Certificate } from '../../support/certificates.ts'
import { startDnsServer, type DnsAnswer, type DnsServer } from '../../support/dns-server.ts'
import { startRawEndpoint, startTcpServer, type RawEndpoint } from '../../support/raw-endpoint.ts'
import { words } from '../../support/words.ts'

use(chaiAsPromised)

const HOST = 'hook.example'
/** More connections than the listen queue holds. The kernel accepts the first ones and drops the others. */
const FILLING = 6

/** A thread that listens and then blocks. Once its listen queue is full, connections get no answer. */
async function startSilentListener(host: string, port: number): Promise<{ close: () => unknown }> {
  const thread = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads')
     const stand = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
     const server = require('node:net').createServer()
     server.listen({ ...workerData, backlog: 1 }, () => { parentPort.postMessage('ready'); setImmediate(stand) })`,
    { eval: true, workerData: { host, port } },
  )
  await once(thread, 'message')
  for (let index = 0; index < FILLING; index++)
    connectTcp(port, host)
      .on('error', () => undefined)
      .unref()
  return { close: () => thread.terminate() }
}

describe('the address guard', () => {
  let certificate: Certificate
  let endpoint: RawEndpoint
  let dns: DnsServer
  const serverNames: string[] = []
  let answerTo: (ipVersion: 4 | 6) => DnsAnswer = () => []
  const cleanUps: (() => unknown)[] = []

  before(async () => {
    certificate = await createCertificate([HOST, 'localhost', '127.0.0.1'])
    const SNICallback: TlsOptions['SNICallback'] = (name, callback) => {
      serverNames.push(name)
      callback(null)
    }
    const tls = { ...certificate, SNICallback, ALPNProtocols: ['h2', 'http/1.1'] }
    endpoint = await startRawEndpoint(tls, () => undefined)
    dns = await startDnsServer((_name, ipVersion) => answerTo(ipVersion))
  })
  after(() => Promise.all([endpoint.close(), dns.close()]))
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0)) await cleanUp()
  })

  type Options = Partial<GuardOptions> & { withinMs?: number; signal?: AbortSignal; steps?: StepClock }
  async function connect(url: string, allowed: string, options: Options = {}) {
    const { withinMs = 10_000, signal, steps = new StepClock(), ...given } = options
    const resolver = createHostResolver([dns.address])
    const trusted = { ca: certificate.cert, allowedNetworks: parseNetworks(allowed) }
    const usual = { ...trusted, connectTimeoutMs: 5_000, resolver, egress: new Egress() }
    const deadline = startDeadline(withinMs)
    cleanUps.push(deadline.clear)
    const guard = createAddressGuard({ ...usual, ...given })
    const socket = await guard.connect(new URL(url), signal ?? deadline.signal, { companyId: 'com_1', steps })
    cleanUps.push(() => socket.destroy())
    return socket
  }
  const refusalOf = async (attempt: Promise<TLSSocket>) =>
    attempt.then(
      () => 'connected',
      (error: unknown) => {
        if (error instanceof failures.BlockedNameError) return `BlockedNameError ${error.reason}`
        if (error instanceof failures.SilentEndpointError) return `SilentEndpointError ${error.reason}`
        return error instanceof failures.UnreachableError ? error.reason : String(error)
      },
    )
  const at = (host: string) => `https://${host}:${endpoint.port}/`

  // decision: Where it may go
  describe('on the way to an address', () => {
    it('connects to the resolved address and speaks TLS with the name of the URL', async () => {
      answerTo = () => ['127.0.0.1']
      const steps = new StepClock()
      const socket = await connect(at(HOST), '127.0.0.1', { steps })
      for (const step of ['dnsMs', 'connectMs', 'tlsMs'] as const)
        expect(steps.read()[step], step).to.be.at.least(0)
      expect(socket.remoteAddress).to.equal('127.0.0.1')
      expect(socket.authorized).to.equal(true)
      expect(socket.alpnProtocol).to.equal('http/1.1')
      expect(socket.getProtocol()).to.be.oneOf(['TLSv1.2', 'TLSv1.3'])
      expect(serverNames.at(-1)).to.equal(HOST)
    })

    it('names no server where the URL has an address in place of a name, and survives that an idle connection breaks', async () => {
      const before = serverNames.length
      const socket = await connect(at('127.0.0.1'), '127.0.0.1')
      expect(serverNames).to.have.length(before)
      expect(() => socket.emit('error', new Error('reset'))).not.to.throw()
    })

    it('refuses blocked literal addresses, and a name that resolves to such ones only, and opens no connection', async () => {
      const before = endpoint.connectionCount()
      for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '10.0.0.1', '169.254.169.254'])
        expect(await refusalOf(connect(at(host), '')), host).to.equal('blocked_address')
      for (const address of words('127.0.0.1 ::1 ::ffff:127.0.0.1 10.0.0.1 169.254.169.254 0.0.0.0')) {
        answerTo = () => [address]
        expect(await refusalOf(connect(at(HOST), '')), address).to.equal('BlockedNameError dns_error')
      }
      expect(endpoint.connectionCount()).to.equal(before)
    })

    it('refuses a name once it is bound to a blocked address, however it resolved before', async () => {
      const before = endpoint.connectionCount()
      answerTo = () => ['127.0.0.2']
      expect(await refusalOf(connect(at(HOST), '127.0.0.2'))).to.equal('connect_error')
      answerTo = () => ['127.0.0.1']
      expect(await refusalOf(connect(at(HOST), '127.0.0.2'))).to.equal('BlockedNameError dns_error')
      expect(endpoint.connectionCount()).to.equal(before)
    })

    it('keeps the allowed addresses among blocked ones, and tries the next one when one refuses', async () => {
      answerTo = (ipVersion) => words(ipVersion === 4 ? '10.0.0.1 127.0.0.1 192.168.0.1' : '::1 fd00::1')
      expect((await connect(at(HOST), '127.0.0.1')).remoteAddress).to.equal('127.0.0.1')
      answerTo = () => ['127.0.0.9', '127.0.0.1']
      const told: unknown[] = []
      const tell = (...it: unknown[]) => void told.push(it)
      const egress = { tries: tell, reached: tell }
      expect((await connect(at(HOST), '127.0.0.0/8', { egress })).remoteAddress).to.equal('127.0.0.1')
      const { port } = endpoint
      const both = ['127.0.0.9', '127.0.0.1'].map((address) => ['com_1', { address, port }])
      expect(told, 'what tells whether our own network is down').to.deep.equal(both)
    })

    it('leaves the next address its share of the time when nothing comes back from one', async () => {
      const silent = await startSilentListener('127.0.0.7', endpoint.port)
      cleanUps.push(silent.close)
      const others = Array.from({ length: 18 }, (_, index) => `127.0.1.${index}`)
      answerTo = (ipVersion) => (ipVersion === 4 ? ['127.0.0.7', '127.0.0.1', ...others] : [])
      const socket = await connect(at(HOST), '127.0.0.0/8', { connectTimeoutMs: 10_000 })
      expect(socket.remoteAddress).to.equal('127.0.0.1')
    })

    it('looks at the address of the peer once more before it sends the first byte', async () => {
      const allowedNetworks = parseNetworks('127.0.0.1')
      const egress = { tries: () => void allowedNetworks.splice(0), reached: () => undefined }
      const before = serverNames.length
      answerTo = () => ['127.0.0.1']
      const attempt = connect(at(HOST), '', { allowedNetworks, egress })
      expect(await refusalOf(attempt)).to.equal('BlockedNameError dns_error')
      expect(serverNames).to.have.length(before)
    })

    it('holds exemptions to their port, and finds localhost without a name server when its address is exempted', async () => {
      answerTo = () => ['127.0.0.1']
      expect((await connect(at(HOST), `127.0.0.1:${endpoint.port}`)).remoteAddress).to.equal('127.0.0.1')
      expect(await refusalOf(connect(at(HOST), '127.0.0.1:443'))).to.equal('BlockedNameError dns_error')
      expect((await connect(at('localhost'), '127.0.0.1')).remoteAddress).to.equal('127.0.0.1')
      expect(await refusalOf(connect(at('localhost'), ''))).to.equal('BlockedNameError dns_error')
    })
  })

  describe('when the way fails', () => {
    it('answers connect_error when the port refuses, and tls_error when the peer closes during the handshake or speaks no TLS', async () => {
      const closed = await startTcpServer(() => undefined)
      await closed.close()
      const attempt = connect(`https://127.0.0.1:${closed.port}/`, '127.0.0.1')
      expect(await refusalOf(attempt)).to.equal('connect_error')
      await expect(attempt, 'for our log').to.be.rejected.and.eventually.have.property('cause')
      const closing = await startTcpServer((socket) => socket.once('data', () => socket.destroy()))
      const plain = await startTcpServer((socket) => socket.write('220 mail.example ESMTP\r\n'))
      cleanUps.push(closing.close, plain.close)
      for (const { port } of [closing, plain])
        expect(await refusalOf(connect(`https://127.0.0.1:${port}/`, '127.0.0.1'))).to.equal('tls_error')
    })

    it('tells silence, which may be a fault of our own network, from a refusal', async () => {
      // Linux refuses TCP connections to the broadcast address of loopback: the network is unreachable.
      const dead = '127.255.255.255'
      answerTo = () => [dead]
      expect(await refusalOf(connect(at(HOST), '127.0.0.0/8'))).to.equal('SilentEndpointError connect_error')
      answerTo = () => [dead, '127.0.0.9']
      expect(await refusalOf(connect(at(HOST), '127.0.0.0/8'))).to.equal('connect_error')
      const over = connect(at('127.0.0.1'), '127.0.0.1', { signal: AbortSignal.abort() })
      expect(await refusalOf(over)).to.equal('SilentEndpointError connect_timeout')
    })

    it('answers connect_timeout when the peer takes the connection and says nothing', async () => {
      const silent = await startTcpServer(() => undefined)
      cleanUps.push(silent.close)
      const url = `https://127.0.0.1:${silent.port}/`
      for (const limit of [{ connectTimeoutMs: 100 }, { withinMs: 50 }])
        expect(await refusalOf(connect(url, '127.0.0.1', limit))).to.equal('connect_timeout')
    })
  })

  // decision: Certificates
  describe('of certificates', () => {
    async function refusalFrom(serverCertificate: Certificate, ca: string | undefined, tls: object = {}) {
      const server = await startRawEndpoint({ ...serverCertificate, ...tls }, () => undefined)
      cleanUps.push(server.close)
      const refusal = await refusalOf(connect(server.url, '127.0.0.1', { ca }))
      expect(server.requests).to.deep.equal([])
      return refusal
    }

    it('trusts one of the operator, and no self-signed one, also when the environment says not to verify', async () => {
      expect(await refusalFrom(certificate, certificate.cert)).to.equal('connected')
      expect(await refusalFrom(certificate, undefined)).to.equal('tls_error')
      process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
      cleanUps.push(() => delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'])
      expect(await refusalFrom(certificate, undefined)).to.equal('tls_error')
    })

    it('refuses one for another name, one that has expired, and TLS 1.1', async () => {
      const other = createCertificate(['other.example', '127.0.0.2'])
      for (const wrong of [await other, await createCertificate(['127.0.0.1'], -1)])
        expect(await refusalFrom(wrong, wrong.cert)).to.equal('tls_error')
      const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }
      expect(await refusalFrom(certificate, certificate.cert, old)).to.equal('tls_error')
    })
  })
})
