import { once } from 'node:events'
import { mock } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { expect, use } from 'chai'
import { type Connection, ConnectionPool, toConnection } from '../../../src/sending/connection-pool.ts'
import type { Sign, SignedRequest } from '../../../src/sending/http-sender.ts'
import { type Certificate, createCertificate } from '../../support/certificates.ts'
import { answer, type RawEndpoint, startRawEndpoint } from '../../support/raw-endpoint.ts'
import chaiAsPromised from 'chai-as-promised'
import { REQUEST, setUpSender } from '../../support/sender-setup.ts'

// decision: Kept connections
describe('the connection pool', () => {
  let certificate: Certificate
  let endpoint: RawEndpoint
  const sockets: TLSSocket[] = []

  before(async () => {
    certificate = await createCertificate(['127.0.0.1'])
    endpoint = await startRawEndpoint(certificate, () => undefined)
  })
  after(() => endpoint.close())
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy()
  })

  async function open(openedAtMs = performance.now()): Promise<Connection> {
    const socket = connect({ port: endpoint.port, host: '127.0.0.1', ca: certificate.cert })
    sockets.push(socket)
    await once(socket, 'secureConnect')
    return { ...toConnection(`https://127.0.0.1:${endpoint.port}`, socket), openedAtMs }
  }

  it('closes a connection whose 30 seconds are over instead of keeping it, and an idle one when they end', async () => {
    const pool = new ConnectionPool(512)
    const old = await open(performance.now() - 30_001)
    pool.give('a', old)
    expect([old.socket.destroyed, pool.take('a')]).to.deep.equal([true, undefined])
    const ending = await open(performance.now() - 29_990)
    const closed = once(ending.socket, 'close')
    pool.give('a', ending)
    await closed
    expect(pool.take('a')).to.equal(undefined)
  })

  it('gives the others of a key in order when one between them closes', async () => {
    const pool = new ConnectionPool(512)
    const [first, second, third] = [await open(), await open(), await open()]
    for (const connection of [first, second, third]) pool.give('a', connection)
    const closed = once(second.socket, 'close')
    second.socket.destroy()
    await closed
    expect([pool.take('a'), pool.take('a'), pool.take('a')]).to.deep.equal([third, first, undefined])
  })

  it('keeps one listener for a connection, however often that is taken and given', async () => {
    const pool = new ConnectionPool(512)
    const connection = await open()
    pool.give('a', connection)
    const before = connection.socket.listenerCount('close')
    for (let round = 0; round < 50; round += 1) {
      expect(pool.take('a')).to.equal(connection)
      pool.give('a', connection)
    }
    expect(connection.socket.listenerCount('close')).to.equal(before)
  })

  it('closes the oldest connection of all keys beyond its maximum', async () => {
    const pool = new ConnectionPool(2)
    const [first, second, third] = [await open(), await open(), await open()]
    pool.give('a', first)
    pool.give('b', second)
    expect(first.socket.destroyed).to.equal(false)
    pool.give('c', third)
    expect(first.socket.destroyed).to.equal(true)
    expect([pool.take('a'), pool.take('b'), pool.take('c')]).to.deep.equal([undefined, second, third])
  })

  it('closes everything on close, and later every connection that is given back', async () => {
    const pool = new ConnectionPool(512)
    const [kept, late] = [await open(), await open()]
    pool.give('a', kept)
    pool.close()
    pool.give('a', late)
    expect([kept.socket.destroyed, late.socket.destroyed]).to.deep.equal([true, true])
    expect(pool.take('a')).to.equal(undefined)
  })
})

use(chaiAsPromised)

// decision: A dead kept connection
describe('connections of the HTTP sender', () => {
  const setup = setUpSender()
  const { send } = setup

  it('are kept alive for the same webhook and origin, and never shared between webhooks or names', async () => {
    for (const path of ['/a', '/b', '/c'])
      await send({ url: `https://127.0.0.1:${setup.endpoint.port}${path}` })
    expect(setup.endpoint.requests).to.have.length(3)
    expect(setup.endpoint.connectionCount()).to.equal(1)
    await send({ webhookId: 'whk_another' })
    await send({ url: `https://localhost:${setup.endpoint.port}/hook` })
    expect(setup.endpoint.connectionCount()).to.equal(3)
  })

  it('carry one request at a time', async () => {
    for (const round of ['new ones', 'kept ones']) {
      await Promise.all([send(), send(), send()])
      expect(setup.endpoint.connectionCount(), round).to.equal(3)
    }
  })

  for (const header of ['connection: close', 'keep-alive: timeout=1'])
    it(`are not kept when the peer says "${header}"`, async () => {
      setup.respond = (socket) => socket.write(answer(200, '', [header]))
      await send()
      await send()
      expect(setup.endpoint.connectionCount()).to.equal(2)
    })

  // decision: Steps of an attempt
  it('are replaced once when a kept one is dead before any byte of an answer, and measure their own steps', async () => {
    await send()
    setup.respond = (socket, index) => (index === 1 ? socket.destroy() : socket.write(answer(202)))
    let signed = 0
    const sign = () => {
      expect(setup.endpoint.requests).to.have.length(1 + signed++)
      return REQUEST
    }
    const outcome = await send({ sign })
    expect(signed).to.equal(2)
    expect(outcome).to.include({ status: 202 }).and.have.property('steps').that.includes({ dnsMs: null })
    for (const step of ['connectMs', 'tlsMs', 'firstByteMs'])
      expect(outcome).to.have.nested.property(`steps.${step}`).that.is.a('number')
    expect(setup.endpoint.connectionCount()).to.equal(2)
  })

  it('that replace a dead one are never dead themselves, and have what is left of the one deadline', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    setup.cleanUps.push(() => mock.timers.reset())
    await send()
    setup.respond = (socket) => socket.destroy()
    let signed = 0
    const sign: Sign<SignedRequest> = (within) => {
      mock.timers.tick(6_000)
      return ++signed === 1 ? REQUEST : within(new Promise(() => undefined))
    }
    await expect(send({ sign })).to.be.rejectedWith('time of the attempt is over')
    expect(signed).to.equal(2)
    expect(await send()).to.include({ kind: 'unreachable', reason: 'connection_reset' })
  })

  it('are replaced when the peer closed the kept one while it was idle', async () => {
    await send()
    setup.endpoint.sockets[0]?.destroy()
    expect(await send()).to.include({ kind: 'answered', status: 200 })
    expect(setup.endpoint.connectionCount()).to.equal(2)
  })

  it('are replaced neither once a byte of an answer came nor when they are fresh, so that one attempt is one request', async () => {
    await send()
    setup.respond = (socket) => socket.end('HTTP/1.1 200')
    expect(await send()).to.include({ kind: 'unreachable', reason: 'connection_reset' })
    expect(setup.endpoint.requests).to.have.length(2)
    setup.respond = (socket) => socket.destroy()
    expect(await send()).to.include({ kind: 'unreachable', reason: 'connection_reset' })
    expect(setup.endpoint.requests).to.have.length(3)
  })

  it('end with the sender, after the running attempts', async () => {
    await send()
    const arrived = new Promise<() => void>((resolve) => {
      setup.respond = (socket) => resolve(() => socket.write(answer(200)))
    })
    const running = send({ webhookId: 'whk_2' })
    const goOn = await arrived
    const closed = setup.sender.close()
    await expect(send()).to.be.rejectedWith('closed')
    goOn()
    await closed
    expect(await running).to.include({ kind: 'answered', status: 200 })
    for (const socket of setup.endpoint.sockets) if (!socket.destroyed) await once(socket, 'close')
  })
})
