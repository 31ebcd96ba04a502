import { once } from 'node:events'
import { createSocket } from 'node:dgram'
import { expect } from 'chai'
import getPort from 'get-port'
import { createDoorbell, listenForRings } from '../src/doorbell.js'

describe('the doorbell', () => {
  it('rings every worker, and rings of one moment once', async () => {
    const rings = [0, 0]
    const ports = [await getPort(), await getPort()]
    const arrived: (() => void)[] = []
    const bothArrived = Promise.all(
      rings.map((_, index) => new Promise<void>((resolve) => (arrived[index] = resolve))),
    )
    const sockets = await Promise.all(
      ports.map((port, index) =>
        listenForRings('127.0.0.1', port, () => {
          rings[index] = (rings[index] ?? 0) + 1
          arrived[index]?.()
        }),
      ),
    )
    const bell = createDoorbell({
      listAddresses: () => Promise.resolve(ports.map((port) => `127.0.0.1:${port}`)),
    })
    for (let index = 0; index < 100; index++) bell.ring()
    await bothArrived
    expect(rings).to.deep.equal([1, 1])
    bell.close()
    for (const socket of sockets) socket.close()
  })

  it('asks for the workers no more than once a second, and survives that nobody can tell them', async () => {
    let asked = 0
    const port = await getPort()
    const socket = createSocket('udp4').bind(port, '127.0.0.1')
    await once(socket, 'listening')
    const bell = createDoorbell({
      listAddresses: () => {
        asked += 1
        return asked === 1 ? Promise.resolve([`127.0.0.1:${port}`]) : Promise.reject(new Error('away'))
      },
    })
    for (let ring = 0; ring < 3; ring++) {
      const message = once(socket, 'message')
      bell.ring()
      await message
    }
    expect(asked).to.equal(1)
    bell.close()
    socket.close()
  })
})
