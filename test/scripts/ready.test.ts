import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { expect } from 'chai'
import { freePorts } from '../../scripts/lib/ports.mjs'
import { databaseGreets, tcpAnswers, waitUntil } from '../../scripts/lib/ready.mjs'

/** Listens on loopback with what is done to each connection, for as long as `use` takes. */
async function withServer(onConnection: (socket: Socket) => void, use: (port: number) => Promise<void>) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => onConnection(socket.on('error', () => undefined)))
  server.on('connection', (socket) => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    await use((server.address() as AddressInfo).port)
  } finally {
    sockets.forEach((socket) => socket.destroy())
    server.close()
  }
}

describe('free ports', () => {
  it('are the preferred ones where they are free, the next ones where they are taken, and all different', async () => {
    await withServer(
      () => undefined,
      async (taken) => {
        const [free] = await freePorts([0])
        const [first, second, third] = await freePorts([free!, taken, 0])
        expect(first).to.equal(free)
        expect(second).not.to.equal(taken)
        expect(new Set([first, second, third]).size).to.equal(3)
      },
    )
  })
})

describe('any free port', () => {
  it('is none that a socket without a port of its own could take first, and none that was just chosen', async () => {
    const ports = [...(await freePorts([0, 0])), ...(await freePorts([0]))]
    expect(new Set(ports).size).to.equal(3)
    for (const port of ports) expect(port).to.be.within(1024, 32_767)
  })

  it('is free for UDP as well', async () => {
    const [taken] = await freePorts([0])
    const socket = createSocket('udp4').bind(taken, '127.0.0.1')
    await once(socket, 'listening')
    const [next] = await freePorts([taken!])
    expect(next).not.to.equal(taken)
    socket.close()
  })
})

describe('waiting for readiness', () => {
  const greeting = Buffer.from([0x4a, 0, 0, 0, 10, 0x38])
  const refusal = Buffer.from([0x17, 0, 0, 0, 0xff, 0x10])

  it('takes a database for ready when it greets, not when it refuses or hangs up', async () => {
    await withServer(
      (socket) => socket.write(greeting),
      async (port) => {
        expect(await databaseGreets('127.0.0.1', port)).to.equal(true)
      },
    )
    await withServer(
      (socket) => socket.write(refusal),
      async (port) => {
        expect(await databaseGreets('127.0.0.1', port)).to.equal(false)
      },
    )
    await withServer(
      (socket) => socket.end(),
      async (port) => {
        expect(await tcpAnswers('127.0.0.1', port)).to.equal(true)
        expect(await databaseGreets('127.0.0.1', port)).to.equal(false)
      },
    )
  })

  it('takes a port where nothing listens for not ready', async () => {
    const [port] = await freePorts([0])
    expect(await tcpAnswers('127.0.0.1', port!)).to.equal(false)
  })

  it('asks until the answer is yes', async () => {
    let asked = 0
    await waitUntil('It', () => Promise.resolve(++asked === 3), { intervalMs: 1 })
    expect(asked).to.equal(3)
  })

  it('gives up with the name of what was not ready', async () => {
    const never = waitUntil('Temporal', () => Promise.resolve(false), { timeoutMs: 20, intervalMs: 5 })
    expect(await never.catch((error: unknown) => String(error))).to.equal(
      'Error: Temporal was not ready after 0.02 s',
    )
  })
})
