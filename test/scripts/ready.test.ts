import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect } from 'chai'
import { freePorts } from '../../scripts/lib/ports.mjs'
import { databaseGreets } from '../../scripts/lib/ready.mjs'
import { listenOnLoopback } from '../support/loopback.ts'
import { until } from '../support/poll.ts'

/** Listens on loopback with what is done to each connection, for as long as `use` takes. */
async function withServer(onConnection: (socket: Socket) => void, use: (port: number) => Promise<void>) {
  const server = createServer((socket) => onConnection(socket.on('error', () => undefined)))
  const { port } = await listenOnLoopback(server)
  await use(port).finally(() => server.close())
}

describe('free ports', () => {
  it('are the preferred ones where they are free, the next ones where they are taken, and all different', async () => {
    await withServer(
      () => undefined,
      async (taken) => {
        // A process beside us may take the port that was free just now; then another one is tried.
        const { ports } = await until(
          async () => {
            const [free = 0] = await freePorts([0])
            return { free, ports: await freePorts([free, taken, 0]) }
          },
          ({ free, ports: [first] }) => first === free,
        )
        expect(ports[1]).not.to.equal(taken)
        expect(new Set(ports).size).to.equal(3)
      },
    )
  })

  it('without a preference are none that a socket without a port of its own could take first, nor just chosen ones, nor taken for UDP', async () => {
    const ports = [...(await freePorts([0, 0])), ...(await freePorts([0]))]
    expect(new Set(ports).size).to.equal(3)
    for (const port of ports) expect(port).to.be.within(1024, 32_767)
    const socket = createSocket('udp4').bind(0, '127.0.0.1')
    await once(socket, 'listening')
    const { port: taken } = socket.address()
    expect(await freePorts([taken])).not.to.include(taken)
    socket.close()
  })
})

describe('a database', () => {
  it('is ready when it greets, not when it refuses or hangs up', async () => {
    const greeting = Buffer.from([0x4a, 0, 0, 0, 10, 0x38])
    const refusal = Buffer.from([0x17, 0, 0, 0, 0xff, 0x10])
    for (const [answer, isReady] of [
      [(socket: Socket) => socket.write(greeting), true],
      [(socket: Socket) => socket.write(refusal), false],
      [(socket: Socket) => socket.end(), false],
    ] as const)
      await withServer(answer, async (port) => {
        expect(await databaseGreets('127.0.0.1', port)).to.equal(isReady)
      })
  })
})
