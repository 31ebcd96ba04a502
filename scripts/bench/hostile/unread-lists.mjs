import { once } from 'node:events'
import { connect } from 'node:net'

/**
 * Opens connections of which each asks for a large page and reads nothing of its answer.
 *
 * @param {{ baseUrl: string, keys: readonly string[], connections?: number, path?: string }} options keys: taken in
 *   turns, one for each connection
 * @returns {Promise<{ end: () => void }>} end: closes them all. A client that does not read does not notice that the other
 *   side closed: see `http_unsent_answer_bytes` and `http_connections_cut_total` of the api
 */
export async function askWithoutReading({
  baseUrl,
  keys,
  connections = 60,
  path = '/api-v1-contacts?limit=100',
}) {
  const { hostname, port, host } = new URL(baseUrl)
  const sockets = Array.from({ length: connections }, () =>
    connect({ host: hostname, port: Number(port) }).on('error', () => undefined),
  )
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  for (const [n, socket] of sockets.entries()) {
    const key = keys[n % keys.length]
    socket.pause().write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`)
  }
  return { end: () => sockets.forEach((socket) => socket.destroy()) }
}
