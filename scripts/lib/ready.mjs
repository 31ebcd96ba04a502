import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Asks again and again until the answer is yes.
 *
 * @param {string} what named in the error
 * @param {() => Promise<boolean>} check
 * @param {{ timeoutMs?: number, intervalMs?: number }} [options]
 * @returns {Promise<void>}
 * @throws {Error} when the time is over
 */
export async function waitUntil(what, check, { timeoutMs = 60_000, intervalMs = 100 } = {}) {
  const deadline = performance.now() + timeoutMs
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`${what} was not ready after ${timeoutMs / 1000} s`)
    await sleep(intervalMs)
  }
}

/**
 * Connects and waits until `accept` has seen what it waits for.
 *
 * @template T
 * @param {{ host: string, port: number }} address
 * @param {(socket: import('node:net').Socket, accepted: (seen: T) => void) => void} accept
 * @returns {Promise<T | undefined>} undefined when it did not come within 2 s
 */
function connects({ host, port }, accept) {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    const settle = (/** @type {T | undefined} */ answer) => {
      socket.destroy()
      resolve(answer)
    }
    const fail = () => settle(undefined)
    socket.setTimeout(2000, fail)
    socket.once('error', fail).once('close', fail)
    accept(socket, settle)
  })
}

/** @param {string} host @param {number} port @returns {Promise<boolean>} whether something listens there */
export const tcpAnswers = async (host, port) =>
  (await connects({ host, port }, (socket, yes) => socket.once('connect', () => yes(true)))) ?? false

/**
 * The version that a MySQL or MariaDB server tells once it takes logins. It then greets with protocol version 10 (fifth
 * byte of its first packet) and its version. A server that still starts sends nothing, and one that refuses sends an
 * error packet (255).
 *
 * @param {string} host
 * @param {number} port
 * @returns {Promise<string | undefined>} such as "8.4.3" or "5.5.5-10.11.19-MariaDB"; undefined when it is not ready
 */
export const databaseGreeting = (host, port) =>
  connects({ host, port }, (socket, greeted) =>
    socket.once('data', (packet) => {
      if (packet[4] !== 10) return socket.destroy()
      const end = packet.indexOf(0, 5)
      return greeted(packet.toString('latin1', 5, end === -1 ? packet.length : end))
    }),
  )

/** @param {string} host @param {number} port @returns {Promise<boolean>} whether a database there is ready for logins */
export const databaseGreets = async (host, port) => (await databaseGreeting(host, port)) !== undefined

/** @param {string} url @returns {Promise<boolean>} whether a GET answers 2xx */
export async function httpAnswers(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000) })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}
