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
 * Connects and waits for what `accept` wants to see.
 *
 * @param {{ host: string, port: number }} address
 * @param {(socket: import('node:net').Socket, yes: () => void) => void} accept
 * @returns {Promise<boolean>}
 */
function connects({ host, port }, accept) {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    const settle = (/** @type {boolean} */ answer) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(2000, () => settle(false))
    socket.once('error', () => settle(false)).once('close', () => settle(false))
    accept(socket, () => settle(true))
  })
}

/** @param {string} host @param {number} port @returns {Promise<boolean>} whether something listens there */
export const tcpAnswers = (host, port) =>
  connects({ host, port }, (socket, yes) => socket.once('connect', yes))

/**
 * Whether a MySQL or MariaDB server is ready for logins: it greets with protocol version 10 (fifth byte of its first
 * packet), where one that still starts keeps silent and one that refuses sends an error packet (255).
 *
 * @param {string} host
 * @param {number} port
 * @returns {Promise<boolean>}
 */
export const databaseGreets = (host, port) =>
  connects({ host, port }, (socket, yes) =>
    socket.once('data', (packet) => (packet[4] === 10 ? yes() : socket.destroy())),
  )

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
