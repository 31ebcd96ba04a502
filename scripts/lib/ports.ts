import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

const HOST = '127.0.0.1'

/** Distance between the ports that are tried, so that services side by side lie apart: 3000 to 3002, and 3020 to 3022. */
const STEP = 20
const TRIES = 10

/**
 * A port without a preference comes from this range. Linux gives ports from 32768 on to outgoing connections and to
 * sockets that name no port. Such a socket could take a chosen port before its service listens there.
 */
const ANY = { first: 15_000, count: 17_000 }
/**
 * The latest port tried, counted from ANY.first. Processes that choose at the same time begin at different ports. The factor is the
 * golden section of the range, so processes whose ids are near each other begin hundreds of ports apart.
 */
let latest = (process.pid * 10_507) % ANY.count

/**
 * Picks a port of 127.0.0.1 that is free for TCP and UDP for each preference. It tries the preferred port, then the one STEP
 * later, and so on; for 0, or when all of these are taken, any free one. All ports are held until the last one is chosen, so
 * they differ.
 *
 * @returns in the order of the preferences
 */
export async function freePorts(preferred: readonly number[]): Promise<number[]> {
  const held = []
  for (const port of preferred) held.push(await holdFirstFree(port))
  await Promise.all(held.map(({ release }) => release()))
  return held.map(({ port }) => port)
}

async function holdFirstFree(preferred: number) {
  for (const port of candidates(preferred)) {
    const release = await hold(port)
    if (release) return { port, release }
  }
  throw new Error(`No port of ${HOST} can be listened on`)
}

/** Ports to try, the best first. */
function* candidates(preferred: number): Generator<number> {
  for (let n = 0; preferred !== 0 && n < TRIES; n++) {
    if (preferred + n * STEP < 65_536) yield preferred + n * STEP
  }
  for (let n = 0; n < ANY.count; n++) {
    latest = (latest + 1) % ANY.count
    yield ANY.first + latest
  }
}

/** Holds a port for TCP and UDP; the worker listens on both. @returns releases it; undefined when either is taken */
async function hold(port: number) {
  const [server, socket] = [createServer(), createSocket('udp4')]
  const close = (one: typeof server | typeof socket) =>
    new Promise<void>((resolve) => void one.close(() => resolve()))
  const release = () => Promise.all([server, socket].map(close))
  const listening = [server, socket].map((one) => once(one, 'listening'))
  server.listen({ port, host: HOST, exclusive: true })
  socket.bind({ port, address: HOST, exclusive: true })
  const isFree = (await Promise.allSettled(listening)).every(({ status }) => status === 'fulfilled')
  if (isFree) return release
  await release()
  return undefined
}
