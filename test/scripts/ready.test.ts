import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect } from 'chai'
import { freePorts } from '../../scripts/lib/ports.mjs'
import { databaseGreets, tcpAnswers, waitUntil } from '../../scripts/lib/ready.mjs'
import { createProgress, formatDuration } from '../../scripts/lib/progress.mjs'

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

function recorder(isTTY = false) {
  const stream = { text: '', isTTY, columns: 80, write: (text: string) => (stream.text += text) }
  return stream
}

/** The first moving line that a terminal of so many columns is sent while a step runs. */
async function movingLine(columns: number | undefined): Promise<string> {
  const [drawn, draw] = withResolver()
  const stream = { isTTY: true, ...(columns !== undefined && { columns }), write: draw }
  const { step } = createProgress(stream)
  let line = ''
  await step('Build', {}, async (update) => {
    update('x'.repeat(200))
    line = await drawn
  })
  return line
}

function withResolver(): [Promise<string>, (text: string) => void] {
  let resolve: (text: string) => void = () => undefined
  const promise = new Promise<string>((done) => (resolve = done))
  return [promise, (text) => resolve(text)]
}

describe('the progress list', () => {
  it('prints one plain line for each step when it ends, with its duration', async () => {
    const stream = recorder()
    const { step, print } = createProgress(stream)
    await step('Database', {}, () => Promise.resolve())
    print('between')
    await step('Build', {}, () => Promise.resolve(1))
    expect(stream.text).to.match(/^✓ Database \(\d+\.\d s\)\nbetween\n✓ Build \(\d+\.\d s\)\n$/)
  })

  it('marks a step that throws or whose result is not good, and hands both on', async () => {
    const stream = recorder()
    const { step } = createProgress(stream)
    const thrown = await step('Build', {}, () => Promise.reject(new Error('no'))).catch((error: unknown) =>
      String(error),
    )
    expect(thrown).to.equal('Error: no')
    expect(
      await step('test/api', { isGood: (failures) => failures === 0 }, () => Promise.resolve(2)),
    ).to.equal(2)
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

  it('formats durations in seconds and minutes', () => {
    expect([840, 59_940, 60_000, 185_000, 179_900].map(formatDuration)).to.deep.equal([
      '0.8 s',
      '59.9 s',
      '1 min 0 s',
      '3 min 5 s',
      '3 min 0 s',
    ])
  })
})
