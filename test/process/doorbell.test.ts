import { once } from 'node:events'
import { createSocket, type Socket } from 'node:dgram'
import { expect } from 'chai'
import { freePorts } from '../../scripts/lib/ports.mjs'
import { Doorbell, listenForRings } from '../../src/process/doorbell.js'

/** What the heartbeat of a worker with wrong settings may hold. */
const UNREACHABLE = [
  ...['127.0.0.1:0', '127.0.0.1:99999', '127.0.0.1:NaN', '127.0.0.1:none', '127.0.0.1:', '127.0.0.1'],
  ...['127.0.0.1:-1', '127.0.0.1:3.5', '', ':', ':3001', '::', '[::1]', '[::1]:0', '[:::1]:3001', '[]:3001'],
  ...['not there:3001', 'nobody.invalid:3001', '\u0000:3001', '999.1.1.1:3001', `${'a'.repeat(300)}:3001`],
]

const readable = (address: string): string => address.slice(0, 40).replace('\u0000', 'NUL') || 'nothing'

describe('the doorbell', () => {
  let sockets: Socket[]
  beforeEach(() => (sockets = []))
  afterEach(() => {
    for (const socket of sockets) socket.close()
  })

  /** Listens as a worker does. `rung` resolves with the first ring. */
  async function listen(host: string): Promise<{ port: number; rung: Promise<void>; count: () => number }> {
    const [port = 0] = await freePorts([0], host)
    let count = 0
    let ring: () => void = () => undefined
    const rung = new Promise<void>((resolve) => (ring = resolve))
    sockets.push(
      await listenForRings(host, port, () => {
        count += 1
        ring()
      }),
    )
    return { port, rung, count: () => count }
  }
  const bellFor = (addresses: readonly string[]) =>
    new Doorbell({ listAddresses: () => Promise.resolve([...addresses]) })

  it('rings every worker, and sends several rings of one moment as one', async () => {
    const workers = [await listen('127.0.0.1'), await listen('127.0.0.1')]
    const bell = bellFor(workers.map(({ port }) => `127.0.0.1:${port}`))
    for (let index = 0; index < 100; index++) bell.ring()
    await Promise.all(workers.map(({ rung }) => rung))
    expect(workers.map(({ count }) => count())).to.deep.equal([1, 1])
    bell.close()
  })

  for (const address of UNREACHABLE) {
    // decision: Addresses of workers
    it(`rings the other workers when one says that it is at ${readable(address)}`, async () => {
      const workers = [await listen('127.0.0.1'), await listen('127.0.0.1')]
      const [before, after] = workers.map(({ port }) => `127.0.0.1:${port}`)
      const bell = bellFor([before!, address, after!])
      bell.ring()
      await Promise.all(workers.map(({ rung }) => rung))
      bell.close()
    })
  }

  // decision: Addresses of workers
  it('rings workers at IPv6 addresses, with and without brackets, and at names', async () => {
    const workers = [await listen('::1'), await listen('::1'), await listen('127.0.0.1')]
    const [bracketed, bare, named] = workers.map(({ port }) => port)
    const bell = bellFor([`[::1]:${bracketed}`, `::1:${bare}`, `localhost:${named}`])
    bell.ring()
    await Promise.all(workers.map(({ rung }) => rung))
    bell.close()
  })

  it('reads the list of workers at most once a second, and survives when it cannot be read', async () => {
    let asked = 0
    const [port = 0] = await freePorts([0])
    const socket = createSocket('udp4').bind(port, '127.0.0.1')
    sockets.push(socket)
    await once(socket, 'listening')
    const bell = new Doorbell({
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
  })
})
