import { EventEmitter, once } from 'node:events'
import { createSocket, type Socket } from 'node:dgram'
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { newId } from '../../../src/domain/ids.ts'
import { parseKeyRing } from '../../../src/domain/sealing/sealing.ts'
import { Doorbell, listenForRings } from '../../../src/deps/doorbell.ts'
import { type Hint, RingOpener, RingSealer } from '../../../src/deps/datagram.ts'

/** Wrong values in a worker's heartbeat, in addition to those that parseHostPort refuses. */
const UNREACHABLE = ['127.0.0.1:0', '[:::1]:3001', 'nobody.invalid:3001', '999.1.1.1:3001', '\u0000:3001']

/** How often each of three workers was rung after the first, second and third ring. */
const RUNG = ['1 1 0', '2 1 1', '2 2 2']

const keyOf = (id: string) => `${id}:${randomBytes(32).toString('base64')}`
const [OLD, NEW] = [keyOf('old'), keyOf('new')]
const secretsKeys = parseKeyRing(NEW)

// decision: Who may ring
// decision: Addresses of workers
describe('the doorbell', () => {
  const sockets: Socket[] = []
  afterEach(() => sockets.splice(0).forEach((socket) => socket.close()))

  /** Listens as a worker does. `rung` resolves with the first ring. */
  async function listen(host = '127.0.0.1') {
    const hints: (readonly Hint[] | undefined)[] = []
    const rings = new EventEmitter()
    const rungAgain = async (times: number) => {
      while (hints.length < times) await once(rings, 'ring')
    }
    const dropped: string[] = []
    const onRing = (named: readonly Hint[] | undefined) => {
      hints.push(named)
      rings.emit('ring')
    }
    const onDropped = (reason: string) => void dropped.push(reason)
    const socket = await listenForRings(host, 0, { secretsKeys, onRing, onDropped })
    sockets.push(socket)
    return { port: socket.address().port, hints, dropped, rungAgain, rung: rungAgain(1) }
  }
  const bells: Doorbell[] = []
  type Options = Partial<ConstructorParameters<typeof Doorbell>[0]>
  const createBell = (options: Options, addresses: readonly string[] = []) => {
    const listAddresses = () => Promise.resolve([...addresses])
    bells.push(new Doorbell({ secretsKeys, listAddresses, ...options }))
    return bells.at(-1)!
  }
  const bellFor = (...addresses: readonly string[]) => createBell({}, addresses)
  afterEach(() => bells.splice(0).forEach((bell) => bell.close()))

  it('rings every worker, and sends several rings of one moment as one', async () => {
    const workers = [await listen(), await listen()]
    const bell = bellFor(...workers.map(({ port }) => `127.0.0.1:${port}`))
    for (let index = 0; index < 100; index++) bell.ring()
    await Promise.all(workers.map(({ rung }) => rung))
    expect(workers.map(({ hints }) => hints.length)).to.deep.equal([1, 1])
  })

  // decision: Two workers are rung
  it('rings the two workers whose turn it is when it names queues, and all when it names none', async () => {
    const workers = [await listen(), await listen(), await listen()]
    const addresses = workers.map(({ port }) => `127.0.0.1:${port}`)
    const bell = createBell({ atMost: 2 }, addresses)
    for (const times of RUNG) {
      bell.ring([{ companyId: newId('company'), queue: newId('webhook') }])
      await Promise.all(workers.map(({ rungAgain }, n) => rungAgain(Number(times.split(' ')[n]))))
      expect(workers.map(({ hints }) => hints.length).join(' ')).to.equal(times)
    }
    bell.ring()
    await Promise.all(workers.map(({ rungAgain }) => rungAgain(3)))
  })

  // decision: Rings that name queues
  it('names the queues that have something new, each once, unless somebody rings without them, and rings for none not at all', async () => {
    const worker = await listen()
    const bell = bellFor(`127.0.0.1:${worker.port}`)
    const hint = () => ({ companyId: newId('company'), queue: newId('webhook') })
    const [first, second] = [hint(), hint()]
    bell.ring([])
    await new Promise((resolve) => setImmediate(resolve))
    for (const hints of [[first], [first, second]]) bell.ring(hints)
    await worker.rung
    bell.ring([first])
    bell.ring()
    await worker.rungAgain(2)
    bell.ring(Array.from({ length: 13 }, hint))
    await worker.rungAgain(3)
    expect(worker.hints).to.deep.equal([[first, second], undefined, undefined])
  })

  it('drops what no process with our keys has sealed, changed it, or sent before', async () => {
    const worker = await listen()
    const socket = createSocket('udp4')
    sockets.push(socket)
    const ours = new RingSealer(secretsKeys).seal('ring')
    const stranger = new RingSealer(parseKeyRing(keyOf('new'))).seal('ring')
    const sent = ['', 'ring', stranger, `${ours.toString()}s`, 'a'.repeat(5_000), ours, ours]
    for (const datagram of [...sent, new RingSealer(secretsKeys).seal('ring')])
      socket.send(datagram, worker.port, '127.0.0.1')
    await worker.rungAgain(2)
    expect(worker.dropped).to.deep.equal([...Array<string>(5).fill('wrong'), 'old'])
  })

  it('opens under every key of the ring, so that keys can be replaced, and looks at a thousand wrong datagrams of a second', () => {
    const opener = new RingOpener(parseKeyRing(`${NEW},${OLD}`))
    for (const key of [OLD, NEW])
      expect(opener.open(new RingSealer(parseKeyRing(key)).seal('ring'))).to.deep.equal({ message: 'ring' })
    const flooded = new RingOpener(secretsKeys)
    const reasons = Array.from({ length: 5_000 }, () => JSON.stringify(flooded.open(Buffer.from('wrong'))))
    // The flood may continue from one second into the next.
    const wrong = reasons.filter((reason) => reason.includes('"wrong"')).length
    expect(wrong).to.be.within(1_000, 2_000)
    expect(reasons.filter((reason) => reason.includes('"unread"')).length).to.equal(5_000 - wrong)
  })

  for (const address of UNREACHABLE)
    it(`rings the other workers when one says that it is at ${JSON.stringify(address)}`, async () => {
      const workers = [await listen(), await listen()]
      const [before, after] = workers.map(({ port }) => `127.0.0.1:${port}`)
      const bell = bellFor(before!, address, after!)
      bell.ring()
      await Promise.all(workers.map(({ rung }) => rung))
    })

  it('rings workers at IPv6 addresses, with and without brackets, and at names', async () => {
    const workers = [await listen('::1'), await listen('::1'), await listen()]
    const [bracketed, bare, named] = workers.map(({ port }) => port)
    const bell = bellFor(`[::1]:${bracketed}`, `::1:${bare}`, `localhost:${named}`)
    bell.ring()
    await Promise.all(workers.map(({ rung }) => rung))
  })

  it('reads the list of workers at most once a second, and survives when it cannot be read', async () => {
    const worker = await listen()
    let asked = 0
    let nowMs = 0
    const listAddresses = () => {
      asked += 1
      return asked === 1 ? Promise.resolve([`127.0.0.1:${worker.port}`]) : Promise.reject(new Error('away'))
    }
    const bell = createBell({ listAddresses, nowMs: () => nowMs })
    const asks: number[] = []
    for (nowMs of [0, 999, 1_000]) {
      bell.ring()
      await worker.rungAgain(asks.length + 1)
      asks.push(asked)
    }
    expect(asks).to.deep.equal([1, 1, 2])
  })
})
