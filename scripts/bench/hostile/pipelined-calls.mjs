import { once } from 'node:events'
import { connect } from 'node:net'

/** Time for the answers after the last request was sent. */
const WAIT_MS = 10_000

/**
 * Sends requests without a key over so many connections, all of a connection at once, and reads until the api closes it or has
 * answered all.
 *
 * @param {{ baseUrl: string, connections?: number, requests?: number }} options requests: on each connection
 * @returns {Promise<Record<string, number>>} answers by status
 */
export async function pipelineCalls({ baseUrl, connections = 100, requests = 2_000 }) {
  const url = new URL(baseUrl)
  const bytes = `GET /api-v1-webhooks HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`.repeat(requests)
  /** @type {Record<string, number>} */
  const answers = {}
  await Promise.all(Array.from({ length: connections }, () => sendAll(url, bytes, requests, answers)))
  return answers
}

/** @param {URL} url @param {string} bytes @param {number} requests @param {Record<string, number>} answers */
async function sendAll({ hostname, port }, bytes, requests, answers) {
  const socket = connect({ host: hostname, port: Number(port) }).setEncoding('latin1')
  socket.on('error', () => undefined)
  socket.setTimeout(WAIT_MS, () => socket.destroy())
  let left = requests
  let rest = ''
  socket.on('data', (text) => {
    const all = rest + text
    for (const [, status = ''] of all.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
      answers[status] = (answers[status] ?? 0) + 1
      left--
    }
    // A status line may be cut in two.
    rest = all.slice(all.lastIndexOf('\n') + 1)
    if (left <= 0) socket.destroy()
  })
  socket.write(bytes)
  if (!socket.destroyed) await once(socket, 'close')
}
