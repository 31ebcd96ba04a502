import { once } from 'node:events'
import { expect, use } from 'chai'
import chaiAsPromised from 'chai-as-promised'
import { answer } from '../../support/raw-endpoint.ts'
import { REQUEST, setUpSender } from '../../support/sender-setup.ts'

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
    await send()
    setup.respond = (socket, index) => (index === 1 ? socket.destroy() : socket.write(answer(202)))
    const kept = await setup.connect()
    expect(await kept.post(REQUEST)).to.include({ kind: 'dead' })
    const replacement = await kept.reconnect()
    expect(setup.endpoint.requests).to.have.length(2)
    expect('post' in replacement && (await replacement.post(REQUEST))).to.include({ status: 202 })
    expect(setup.endpoint.connectionCount()).to.equal(2)
    if (replacement.kind === 'ready') replacement.release()
  })

  it('that replace a dead one are never dead themselves, and have what is left of the one deadline', async () => {
    const sender = setup.createSender({ timeoutMs: 500 })
    setup.cleanUps.push(() => sender.close())
    await send({}, sender)
    setup.respond = (socket, index) => {
      if (index === 1) setTimeout(() => socket.destroy(), 250)
    }
    const outcome = await send({}, sender)
    expect(outcome).to.include({ kind: 'unreachable', reason: 'response_timeout' })
    expect(outcome.durationMs).to.be.within(495, 740)
    setup.respond = (socket) => socket.destroy()
    expect(await send({}, sender)).to.include({ kind: 'unreachable', reason: 'connection_reset' })
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
