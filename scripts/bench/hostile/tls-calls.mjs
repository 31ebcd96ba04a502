import { once } from 'node:events'
import { request } from 'node:https'
import { connect } from 'node:net'

/**
 * @param {string} url
 * @param {{ ca: string, key?: string }} options ca: PEM; key: an API key
 * @returns {Promise<number | undefined>} the status of a GET over a TLS connection of its own
 */
export const getOverTls = (url, { ca, key }) =>
  new Promise((resolve, reject) => {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
    request(url, { ca, agent: false, headers }, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end()
  })

/**
 * Opens TCP connections that never speak.
 *
 * @param {string} url of an api
 * @param {number} count
 * @returns {Promise<import('node:net').Socket[]>} once all are connected
 */
export async function openSilently(url, count) {
  const { hostname, port } = new URL(url)
  const sockets = Array.from({ length: count }, () =>
    connect({ host: hostname, port: Number(port) }).on('error', () => undefined),
  )
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  return sockets
}

/**
 * @param {readonly import('node:net').Socket[]} sockets
 * @param {number} timeoutMs
 * @returns {Promise<number[]>} after how many seconds the other side closed each of those that it closed, in order
 */
export async function watchCloses(sockets, timeoutMs) {
  const startedMs = performance.now()
  /** @type {number[]} */
  const seconds = []
  const closes = sockets.map(async (socket) => {
    if (!socket.closed) await once(socket.resume(), 'close')
    seconds.push((performance.now() - startedMs) / 1000)
  })
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  const late = new Promise((resolve) => (timer = setTimeout(resolve, timeoutMs)))
  await Promise.race([Promise.all(closes), late])
  clearTimeout(timer)
  return [...seconds]
}
