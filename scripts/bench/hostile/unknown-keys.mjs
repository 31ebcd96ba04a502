import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'

const HEAD_END = '\r\n\r\n'

/**
 * Calls the api with well-formed keys that do not exist, over so many connections, one request after the other on each.
 *
 * @param {{ baseUrl: string, connections?: number, durationMs: number }} options baseUrl: of an api on this machine
 * @returns {Promise<Record<string, number>>} answers by status
 */
export async function callWithUnknownKeys({ baseUrl, connections = 200, durationMs }) {
  const endMs = Date.now() + durationMs
  /** @type {Record<string, number>} */
  const answers = {}
  await Promise.all(Array.from({ length: connections }, () => keepCalling(new URL(baseUrl), endMs, answers)))
  return answers
}

/**
 * A refusal that comes late ends its connection; the next call opens another one.
 *
 * @param {URL} url @param {number} endMs @param {Record<string, number>} answers
 */
async function keepCalling(url, endMs, answers) {
  while (Date.now() < endMs) await callOnOneConnection(url, endMs, answers)
}

/** @param {URL} url @param {number} endMs @param {Record<string, number>} answers */
async function callOnOneConnection({ hostname, port, host }, endMs, answers) {
  const socket = connect({ host: hostname, port: Number(port) }).setEncoding('latin1')
  const closed = new Promise((resolve) => socket.once('error', () => undefined).once('close', resolve))
  const call = () => {
    const key = `salesdata_live_${randomBytes(16).toString('hex')}`
    socket.write(`GET /api-v1-webhooks HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}${HEAD_END}`)
  }
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
    const bodyAt = text.indexOf(HEAD_END) + HEAD_END.length
    const bodyLength = Number(/content-length: (\d+)/i.exec(text)?.[1])
    if (bodyAt < HEAD_END.length || text.length < bodyAt + bodyLength) return
    const status = text.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)
    answers[status] = (answers[status] ?? 0) + 1
    text = ''
    if (Date.now() < endMs) call()
    else socket.destroy()
  })
  await Promise.race([once(socket, 'connect'), closed])
  call()
  // An answer that never comes must not hold the caller up.
  const deadline = setTimeout(() => socket.destroy(), endMs - Date.now() + 5_000)
  await closed
  clearTimeout(deadline)
}
