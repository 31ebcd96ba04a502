import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect } from 'chai'
import { freePorts } from '../../scripts/lib/ports.mjs'
import { databaseGreets, tcpAnswers, waitUntil } from '../../scripts/lib/ready.mjs'
import { until } from '../support/poll.ts'
import { createProgress } from '../../scripts/lib/progress.mjs'

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

const silent = () => undefined

describe('free ports', () => {
  it('are the preferred ones where they are free, the next ones where they are taken, and all different', async () => {
    await withServer(silent, async (taken) => {
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
    })
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

describe('waiting for readiness', () => {
  const greeting = Buffer.from([0x4a, 0, 0, 0, 10, 0x38])
  const refusal = Buffer.from([0x17, 0, 0, 0, 0xff, 0x10])

  it('takes a database for ready when it greets, not when it refuses or hangs up', async () => {
    for (const [answer, isReady] of [
      [(socket: Socket) => socket.write(greeting), true],
      [(socket: Socket) => socket.write(refusal), false],
      [(socket: Socket) => socket.end(), false],
    ] as const) {
      await withServer(answer, async (port) => {
        expect(await tcpAnswers('127.0.0.1', port)).to.equal(true)
        expect(await databaseGreets('127.0.0.1', port)).to.equal(isReady)
      })
    }
  })

  it('gives up with the name of what was not ready', async () => {
    const never = waitUntil('Temporal', () => Promise.resolve(false), { timeoutMs: 20, intervalMs: 5 })
    expect(await never.catch((error: unknown) => String(error))).to.equal(
      'Error: Temporal was not ready after 0.02 s',
    )
  })
})

function recorder(isTTY = false) {
  const stream = { text: '', isTTY, columns: 80, write: (text: string) => (stream.text += text) }
  return stream
}

/** The first moving line that a terminal of so many columns is sent while a step runs. */
async function movingLine(columns: number | undefined): Promise<string> {
  let draw: (text: string) => void = () => undefined
  const drawn = new Promise<string>((resolve) => (draw = resolve))
  const stream = {
    isTTY: true,
    ...(columns !== undefined && { columns }),
    write: (text: string) => draw(text),
  }
  const { step } = createProgress(stream)
  let line = ''
  await step('Build', {}, async (update) => {
    update('x'.repeat(200))
    line = await drawn
  })
  return line
}

describe('the progress list', () => {
  it('marks a step that throws or whose result is not good, and hands both on', async () => {
    const stream = recorder()
    const { step } = createProgress(stream)
    const thrown = step('Build', {}, () => Promise.reject(new Error('no')))
    expect(await thrown.catch((error: unknown) => String(error))).to.equal('Error: no')
    const isGood = (failures: number) => failures === 0
    expect(await step('test/api', { isGood }, () => Promise.resolve(2))).to.equal(2)
    expect(stream.text).to.match(/^✗ Build .*\n✗ test\/api .*\n$/)
  })

  it('leaves nothing but the plain lines on a terminal in the end', async () => {
    const stream = recorder(true)
    await createProgress(stream).step('Database', {}, (update) => {
      update('starting')
      return Promise.resolve()
    })
    expect(stream.text.split('\r\u001B[2K').at(-1)).to.match(/^✓ Database \(\d+\.\d s\)\n$/)
  })

  it('erases the whole line and fills at most the width, also where a terminal reports 0 columns or none', async () => {
    const ERASE = '\r\u001B[2K'
    for (const [columns, width] of [
      [40, 39],
      [0, 79],
      [undefined, 79],
      [1, 1],
    ] as const) {
      const line = await movingLine(columns)
      expect(line.startsWith(ERASE), String(columns)).to.equal(true)
      expect(line.slice(ERASE.length), String(columns)).to.have.length(width)
    }
  })
})
