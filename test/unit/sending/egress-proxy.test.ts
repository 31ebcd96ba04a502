import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:tls'
import { expect, use } from 'chai'
import chaiAsPromised from 'chai-as-promised'
import { parseNetworks } from '../../../src/domain/net/addresses.ts'
import { EgressProxy } from '../../../src/sending/egress-proxy.ts'
import { WorkerFault } from '../../../src/sending/failures.ts'
import type { SenderOptions } from '../../../src/sending/http-sender.ts'
import { startConnectProxy, type ConnectProxy } from '../../support/connect-proxy.ts'
import { until } from '../../support/poll.ts'
import { answer, head, writeForever } from '../../support/raw-endpoint.ts'
import { setUpSender } from '../../support/sender-setup.ts'

use(chaiAsPromised)

// decision: An egress proxy
describe('the egress proxy', () => {
  const setup = setUpSender()
  let proxy: ConnectProxy
  let client: EgressProxy
  beforeEach(async () => {
    proxy = await startConnectProxy()
    client = new EgressProxy(proxy.url)
    setup.cleanUps.push(proxy.close)
    setup.answerTo = () => ['127.0.0.1']
  })

  const named = () => `https://hook.example:${setup.endpoint.port}/hook`
  const authorities = () => proxy.heads.map((text) => text.split(' ')[1])
  /** The outcome of an attempt through the proxy: a status or the reason of a failure. */
  async function outcomeOf(url: string, options: Partial<SenderOptions> = {}): Promise<unknown> {
    const sender = setup.createSender({ proxy: client, ...options })
    setup.cleanUps.push(() => sender.close())
    const outcome = await setup.send({ url }, sender).catch((error: unknown) => {
      if (error instanceof WorkerFault) return { kind: 'fault', reason: `our ${error.reason}` } as const
      throw error
    })
    if (outcome.kind === 'answered') return outcome.status
    return 'isBlocked' in outcome ? `${outcome.reason}, blocked` : outcome.reason
  }

  it('is asked once for the checked address of a kept connection, and sees nothing that is sent', async () => {
    const sender = setup.createSender({ proxy: client })
    setup.cleanUps.push(() => sender.close())
    for (let round = 0; round < 2; round++) {
      const outcome = await setup.send({ url: named() }, sender)
      expect(outcome).to.include({ kind: 'answered', status: 200 })
    }
    const authority = `127.0.0.1:${setup.endpoint.port}`
    expect(proxy.heads).to.deep.equal([`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`])
    expect(setup.endpoint.requests).to.have.length(2)
    expect(proxy.sent)
      .to.have.length.above(1_000)
      .and.not.match(/POST|webhook-id|evt_1/)
    expect(await outcomeOf(named(), { ca: undefined }), 'a certificate that nobody trusts').to.equal(
      'tls_error',
    )
  })

  it('gets user and password, percent-decoded, over TLS too, and no connection is left behind', async () => {
    const tls = createServer(setup.certificate, proxy.accept).listen(0, '127.0.0.1')
    await once(tls, 'listening')
    const open = new Set<Socket>()
    tls.on('connection', (socket: Socket) => open.add(socket.on('close', () => open.delete(socket))))
    const { port } = tls.address() as AddressInfo
    client = new EgressProxy(`https://me%40x:p%3A%C3%BC@localhost:${port}`, setup.certificate.cert)
    const sender = setup.createSender({ proxy: client })
    expect(await setup.send({ url: named() }, sender)).to.include({ status: 200 })
    const credentials = Buffer.from('me@x:p:ü').toString('base64')
    expect(proxy.heads[0]).to.include(`\r\nProxy-Authorization: Basic ${credentials}\r\n\r\n`)
    await sender.close()
    await until(
      () => open.size,
      (count) => count === 0,
    )
    client = new EgressProxy(`https://localhost:${port}`)
    expect(await outcomeOf(named()), 'a proxy that nobody trusts').to.equal('our proxy')
    tls.close()
  })

  it('never hears of an address that the guard refuses', async () => {
    const guarded = { allowedNetworks: [] }
    for (const host of ['127.0.0.1', '10.0.0.1', '[::1]'])
      expect(await outcomeOf(`https://${host}:${setup.endpoint.port}/`, guarded)).to.equal('blocked_address')
    setup.answerTo = () => ['10.9.8.7', '127.0.0.1']
    expect(await outcomeOf(named(), guarded)).to.equal('dns_error, blocked')
    expect(proxy.heads).to.deep.equal([])
  })

  it('tries three addresses of a name, one after the other, each with its share of the time', async () => {
    const options = { allowedNetworks: parseNetworks('127.0.0.0/8'), connectTimeoutMs: 3_000 }
    setup.answerTo = () => [9, 8, 1, 7, 6].map((last) => `127.0.0.${last}`)
    const ports = (...lasts: number[]) => lasts.map((last) => `127.0.0.${last}:${setup.endpoint.port}`)
    proxy.serve = (socket, authority) => authority.includes('.9:') || proxy.tunnel(socket, authority)
    expect(await outcomeOf(named(), options)).to.equal(200)
    expect(authorities().filter((authority) => authority !== '0.0.0.0:443')).to.deep.equal(ports(9, 8, 1))
    proxy.heads.splice(0)
    proxy.serve = (socket) => socket.end(answer(502))
    expect(await outcomeOf(named(), options)).to.equal('connect_error')
    expect(authorities()).to.deep.equal(ports(9, 8, 1))
  })

  it('names the failure of the address that it tried, also when its rules refuse the other addresses', async () => {
    for (const tried of ['.9:', '.8:']) {
      setup.answerTo = () => ['127.0.0.9', '127.0.0.8']
      proxy.serve = (socket, authority) => socket.end(answer(authority.includes(tried) ? 503 : 407))
      const options = { allowedNetworks: parseNetworks('127.0.0.0/8') }
      expect(await outcomeOf(named(), options), tried).to.equal('connect_error')
    }
  })

  it('spends an attempt when it does not reach the endpoint, or its rules refuse the address', async () => {
    const refused = ['blocked_address', 'dns_error, blocked']
    for (const [statuses, ofAddress, ofName] of [
      // Smokescreen refuses with a 407 that names no authentication scheme.
      [[403, 407], ...refused],
      [[302, 404, 500, 502, 503], 'connect_error', 'connect_error'],
      [[504], 'connect_timeout', 'connect_timeout'],
    ] as [number[], string, string][])
      for (const status of statuses) {
        proxy.serve = (socket) => socket.end(answer(status, 'no way'))
        const found = [await outcomeOf(setup.endpoint.url), await outcomeOf(named())]
        expect(found, String(status)).to.deep.equal([ofAddress, ofName])
        expect(client.isUp()).to.equal(true)
      }
    expect(setup.endpoint.connectionCount()).to.equal(0)
  })

  it('is our own fault, which ends by itself, when it is away, speaks no HTTP, does not let us in or answers without end', async () => {
    const bad: ((socket: Socket) => unknown)[] = [
      (socket) => socket.end(head(407, 'Proxy-Authenticate: Basic realm="x"')),
      // As Smokescreen answers when its configuration gives us no role.
      (socket) => socket.end(head(407, 'X-Smokescreen-Error: Denied: Client role cannot be determined.')),
      ...[405, 429, 501].map((status) => (socket: Socket) => socket.end(answer(status))),
      ...['SSH-2.0-x\r\n\r\n', 'HTTP/1.1 20', 'HTTP/2 200 OK\r\n\r\n', ''].map(
        (text) => (socket: Socket) => socket.end(text),
      ),
      (socket) => socket.resetAndDestroy(),
      (socket) => writeForever(socket, 'HTTP/1.1 200 OK\r\nX: y'.repeat(100)),
      (socket) => writeForever(socket, '\r\n'.repeat(100)),
    ]
    for (const serve of bad) {
      proxy.serve = serve
      expect(await outcomeOf(named()), serve.toString()).to.equal('our proxy')
      expect(client.isUp()).to.equal(false)
      proxy.serve = (socket) => socket.end(head(403))
      await until(() => client.isUp(), Boolean)
    }
    await proxy.close()
    expect(await outcomeOf(named())).to.equal('our proxy')
    expect(client.isUp()).to.equal(false)
    expect(setup.endpoint.connectionCount()).to.equal(0)
  })

  it('is our own fault when it is silent, unless it answers something else meanwhile', async () => {
    const options = { connectTimeoutMs: 1_000 }
    proxy.serve = (socket) => void socket.write('HTTP/1.1 200')
    const startedAtMs = performance.now()
    expect(await outcomeOf(named(), options)).to.equal('our proxy')
    expect(performance.now() - startedAtMs).to.be.within(990, 5_000)
    proxy.serve = (socket, authority) => authority.startsWith('0.0.0.0:') && socket.end(head(403))
    expect(await outcomeOf(named(), options)).to.equal('connect_timeout')
    expect(client.isUp()).to.equal(true)
  })

  it('may send its answer in pieces, and no byte behind it is lost', async () => {
    proxy.serve = (socket, authority) => {
      socket.write('HTTP/1.0 200 OK\r\nVia: x\r')
      setImmediate(() => proxy.tunnel(socket, authority, '\n\r\n'))
    }
    expect(await outcomeOf(named())).to.equal(200)
    proxy.serve = (socket) => socket.write(`${head(200)}220 mail.example ESMTP\r\n`)
    expect(await outcomeOf(named(), { connectTimeoutMs: 2_000 }), 'lost').to.equal('tls_error')
  })
})
