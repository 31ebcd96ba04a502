import { once } from 'node:events'
import { expect, use } from 'chai'
import chaiAsPromised from 'chai-as-promised'
import { answer } from '../support/raw-endpoint.js'
import { SENT_BODY, setUpSender } from '../support/sender-setup.js'

use(chaiAsPromised)

describe('connections of the HTTP sender', () => {
  const setup = setUpSender()
  const { send } = setup

  it('are kept alive for the same webhook and origin', async () => {
    for (const path of ['/a', '/b', '/c'])
      await send({ url: `https://127.0.0.1:${setup.endpoint.port}${path}` })
    expect(setup.endpoint.requests).to.have.length(3)
    expect(setup.endpoint.connectionCount()).to.equal(1)
  })

  it('are never shared between webhooks or names', async () => {
    await send({ webhookId: 'whk_1' })
    await send({ webhookId: 'whk_2' })
    await send({ url: `https://localhost:${setup.endpoint.port}/hook` })
    expect(setup.endpoint.connectionCount()).to.equal(3)
  })

  it('carry one request at a time', async () => {
    await Promise.all([send(), send(), send()])
    expect(setup.endpoint.connectionCount()).to.equal(3)
    await Promise.all([send(), send(), send()])
    expect(setup.endpoint.connectionCount()).to.equal(3)
  })

  for (const header of ['connection: close', 'keep-alive: timeout=1']) {
    it(`are not kept when the peer says "${header}"`, async () => {
      setup.respond = (socket) => socket.write(answer(200, '', [header]))
      await send()
      await send()
      expect(setup.endpoint.connectionCount()).to.equal(2)
    })
  }

  // decision: A dead kept connection
  it('are replaced once when a kept one is dead before any byte of an answer', async () => {
    const calls: number[] = []
    const prepare = (connectedAfterMs: number) => {
      calls.push(connectedAfterMs)
      return Promise.resolve({ headers: {}, body: SENT_BODY })
    }
    await send()
    setup.respond = (socket, index) => (index === 1 ? socket.destroy() : socket.write(answer(202)))
    expect(await send({ prepare })).to.include({ kind: 'answered', status: 202 })
    expect(setup.endpoint.connectionCount()).to.equal(2)
    expect(calls).to.have.length(2)
  })

  it('are replaced when the peer closed the kept one while it was idle', async () => {
    await send()
    setup.endpoint.sockets[0]?.destroy()
    expect(await send()).to.include({ kind: 'answered', status: 200 })
    expect(setup.endpoint.connectionCount()).to.equal(2)
  })

  it('are not replaced once a byte of an answer came', async () => {
    await send()
    setup.respond = (socket) => socket.end('HTTP/1.1 200')
    expect(await send()).to.include({ kind: 'unreachable', reason: 'connection_reset' })
    expect(setup.endpoint.requests).to.have.length(2)
  })

  // decision: A dead kept connection
  it('are never replaced when they are fresh, so that one attempt is one request', async () => {
    setup.respond = (socket) => socket.destroy()
    expect(await send()).to.include({ kind: 'unreachable', reason: 'connection_reset' })
    expect(setup.endpoint.requests).to.have.length(1)
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
