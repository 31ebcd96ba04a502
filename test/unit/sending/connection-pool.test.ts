import { once } from 'node:events'
import { connect, type TLSSocket } from 'node:tls'
import { expect } from 'chai'
import { ConnectionPool, toConnection, type Connection } from '../../../src/sending/connection-pool.ts'
import { createCertificate, type Certificate } from '../../support/certificates.ts'
import { startRawEndpoint, type RawEndpoint } from '../../support/raw-endpoint.ts'

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

  it('gives the latest connection of the key back, once', async () => {
    const pool = new ConnectionPool()
    const [older, newer] = [await open(), await open()]
    pool.give('a', older)
    pool.give('a', newer)
    expect([pool.take('a'), pool.take('a'), pool.take('a')]).to.deep.equal([newer, older, undefined])
  })

  // decision: Kept connections
  it('never gives a connection to another key', async () => {
    const pool = new ConnectionPool()
    pool.give('webhook-1 https://a', await open())
    expect(pool.take('webhook-2 https://a')).to.equal(undefined)
    expect(pool.take('webhook-1 https://b')).to.equal(undefined)
  })

  // decision: Kept connections
  it('closes a connection whose 30 seconds are over instead of keeping it', async () => {
    const pool = new ConnectionPool()
    const old = await open(performance.now() - 30_001)
    pool.give('a', old)
    expect(old.socket.destroyed).to.equal(true)
    expect(pool.take('a')).to.equal(undefined)
  })

  it('closes an idle connection when its 30 seconds end', async () => {
    const pool = new ConnectionPool()
    const ending = await open(performance.now() - 29_990)
    const closed = once(ending.socket, 'close')
    pool.give('a', ending)
    await closed
    expect(pool.take('a')).to.equal(undefined)
  })

  it('forgets a connection that closes while it is idle', async () => {
    const pool = new ConnectionPool()
    const connection = await open()
    pool.give('a', connection)
    const closed = once(connection.socket, 'close')
    connection.socket.destroy()
    await closed
    expect(pool.take('a')).to.equal(undefined)
  })

  it('gives the others of a key in order when one between them closes', async () => {
    const pool = new ConnectionPool()
    const [first, second, third] = [await open(), await open(), await open()]
    for (const connection of [first, second, third]) pool.give('a', connection)
    const closed = once(second.socket, 'close')
    second.socket.destroy()
    await closed
    expect([pool.take('a'), pool.take('a'), pool.take('a')]).to.deep.equal([third, first, undefined])
  })

  it('closes a connection whose life ended while a request used it, when it is given back', async () => {
    const pool = new ConnectionPool()
    const connection = { ...(await open()), openedAtMs: performance.now() }
    pool.give('a', connection)
    expect(pool.take('a')).to.equal(connection)
    connection.openedAtMs -= 30_001
    pool.give('a', connection)
    expect(connection.socket.destroyed).to.equal(true)
    expect(pool.take('a')).to.equal(undefined)
  })

  it('keeps one listener for a connection, however often that is taken and given', async () => {
    const pool = new ConnectionPool()
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
    const pool = new ConnectionPool()
    const [kept, late] = [await open(), await open()]
    pool.give('a', kept)
    pool.close()
    pool.give('a', late)
    expect([kept.socket.destroyed, late.socket.destroyed]).to.deep.equal([true, true])
    expect(pool.take('a')).to.equal(undefined)
  })
})
