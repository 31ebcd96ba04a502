import { once } from 'node:events'
import { connect } from 'node:net'
import { within } from '../../src/domain/within.ts'

/** A request as bytes. Its body gets a Content-Length unless the headers already give its length. */
export function rawRequest(
  key: string,
  method: string,
  path: string,
  headers: readonly string[] = [],
  body = '',
): string {
  const isSized = body === '' || headers.some((line) => /^(content-length|transfer-encoding)/i.test(line))
  const own = ['Host: api', `Authorization: Bearer ${key}`]
  const length = isSized ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
  return [`${method} ${path} HTTP/1.1`, ...own, ...length, ...headers, '', body].join('\r\n')
}

/** What arrived over a raw connection: the status of every answer, and the text. */
export type RawAnswer = { readonly statuses: readonly number[]; readonly text: string }

/** Sends the bytes unchanged. Reads until the server closes, the wanted number of answers has arrived, or the time is over. */
export async function sendRaw(
  url: string,
  bytes: string | Buffer,
  { timeoutMs = 3_000, answers = 1, end = false } = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  const chunks: Buffer[] = []
  const read = () => toAnswer(Buffer.concat(chunks).toString('latin1'))
  socket.on('error', () => undefined)
  const closed = once(socket, 'close')
  const complete = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      if (read().statuses.length >= answers) resolve()
    })
  })
  socket.write(bytes)
  if (end) socket.end()
  await within(timeoutMs, Promise.race([closed, complete]), () => undefined)
  socket.destroy()
  return read()
}

const toAnswer = (text: string): RawAnswer => ({
  text,
  statuses: [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status)),
})

/** The JSON of the last answer in the text. */
export const lastBody = ({ text }: RawAnswer): unknown => {
  const body = text.slice(text.lastIndexOf('\r\n\r\n') + 4)
  return body === '' ? undefined : (JSON.parse(body) as unknown)
}
