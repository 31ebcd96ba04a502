import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'

/** Distance between the ports that are tried, so that services started side by side get ports that do not mix. */
const STEP = 20
const TRIES = 10

/**
 * A port without a preference comes from this range. Linux gives ports from 32768 on to outgoing connections and to
 * sockets that name no port. Such a socket could take a chosen port before its service listens there.
 */
const ANY = { first: 15_000, count: 17_000 }
/**
 * The latest port tried, counted from ANY.first. Processes that choose at the same time begin at different ports: this is the golden
 * section of the range, so those whose ids are near each other begin hundreds of ports apart.
 */
let latest = (process.pid * 10_507) % ANY.count

/**
 * Holds a port for TCP and UDP; the worker listens on both.
 *
 * @param {number} port
 * @param {string} host
 * @returns {Promise<{ port: number, release: () => Promise<unknown> } | undefined>} undefined when either is taken
 */
async function hold(port, host) {
  const server = createServer()
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  const release = () =>
    Promise.all([
      new Promise((resolve) => server.close(resolve)),
      new Promise((resolve) => socket.close(() => resolve(undefined))),
    ])
  const isTcpFree = await new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen({ port, host, exclusive: true }, () => resolve(true))
  })
  const isUdpFree = await new Promise((resolve) => {
    socket.once('error', () => resolve(false))
    socket.bind({ port, address: host, exclusive: true }, () => resolve(true))
  })
  if (isTcpFree && isUdpFree) return { port, release }
  await release()
  return undefined
}

/**
 * Picks a port that is free for TCP and UDP for each preference. It tries the preferred port, then the one STEP later,
 * and so on; for 0, or when all of these are taken, any free one. All ports are held until the last one is chosen, so
 * they differ.
 *
 * @param {readonly number[]} preferred
 * @param {string} [host]
 * @returns {Promise<number[]>} in the order of the preferences
 */
export async function freePorts(preferred, host = '127.0.0.1') {
  const held = []
  for (const port of preferred) held.push(await firstFree(port, host))
  await Promise.all(held.map(({ release }) => release()))
  return held.map(({ port }) => port)
}

/** @param {number} preferred @param {string} host */
async function firstFree(preferred, host) {
  for (const port of candidates(preferred)) {
    const held = await hold(port, host)
    if (held) return held
  }
  throw new Error(`No port of ${host} can be listened on`)
}

/** @param {number} preferred @returns {Generator<number>} ports to try, the best first */
function* candidates(preferred) {
  for (let n = 0; preferred !== 0 && n < TRIES; n++) {
    if (preferred + n * STEP < 65_536) yield preferred + n * STEP
  }
  for (let n = 0; n < ANY.count; n++) {
    latest = (latest + 1) % ANY.count
    yield ANY.first + latest
  }
}
