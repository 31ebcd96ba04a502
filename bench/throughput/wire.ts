import { connect, type Socket } from 'node:net'

/*
 * What load and receiver send and read. They share the processor with the service, so they read HTTP by hand: Node's own parser and
 * objects would cost several times as much.
 */

const HEAD_END = '\r\n\r\n'
const NOTHING: Buffer = Buffer.alloc(0)

/**
 * Cuts what arrives at a socket into HTTP/1.1 messages, which must tell their length by content-length.
 *
 * @param onMessage head: start line and headers, without the empty line
 */
export function readMessages(socket: Socket, onMessage: (head: string, body: Buffer) => void): void {
  let rest = NOTHING
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (;;) {
      const headEnd = rest.indexOf(HEAD_END)
      if (headEnd < 0) return
      const head = rest.toString('latin1', 0, headEnd)
      const bodyAt = headEnd + HEAD_END.length
      const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
      if (length === undefined)
        throw new Error(`a message without content-length: ${head.split('\r\n', 1)[0]}`)
      const end = bodyAt + Number(length)
      if (rest.length < end) return
      const body = rest.subarray(bodyAt, end)
      rest = rest.subarray(end)
      onMessage(head, body)
    }
  })
}

/** `status`: 0 when the connection ended before the answer. */
export type Answer = { readonly status: number; readonly body: Buffer }

/** A kept connection to a port of this machine, with one request at a time. It connects again when the other side has closed it. */
export function keepConnection(port: number) {
  let socket: Socket | undefined
  let answered: (answer: Answer) => void = () => undefined
  function open(): Socket {
    const opened = connect({ host: '127.0.0.1', port, noDelay: true })
    readMessages(opened, (head, body) => answered({ status: Number(head.slice(9, 12)), body }))
    opened.on('close', () => {
      if (socket === opened) socket = undefined
      answered({ status: 0, body: NOTHING })
    })
    return opened
  }
  return {
    /** @param bytes a whole request */
    send: (bytes: Buffer) =>
      new Promise<Answer>((resolve) => {
        answered = resolve
        socket ??= open()
        socket.write(bytes)
      }),
    close: () => socket?.destroy(),
  }
}

const SENT_AT = '"sent_at":"'
/** Characters of a time of the steady clock, in seconds with microseconds: enough for three years after the machine's start. */
const TIME_LENGTH = 15
const formatTime = (seconds: number): string => seconds.toFixed(6).padStart(TIME_LENGTH, '0')

/** Bytes of an event in the request. */
const EVENT_BYTES = 1024

/**
 * Makes one request that publishes, ready to be written. It belongs to one connection, because its times change in place.
 *
 * @param types one for each event
 */
export function publishRequest(port: number, key: string, types: readonly string[]) {
  const events = types.map(eventText)
  const body = types.length > 1 ? `{"events":[${events.join(',')}]}` : (events[0] ?? '')
  const head = [
    'POST /api-v1-events HTTP/1.1',
    `host: 127.0.0.1:${port}`,
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ]
  const bytes = Buffer.from(`${head.join('\r\n')}${HEAD_END}${body}`, 'latin1')
  const timesAt: number[] = []
  for (let at = bytes.indexOf(SENT_AT); at >= 0; at = bytes.indexOf(SENT_AT, at + 1))
    timesAt.push(at + SENT_AT.length)
  return {
    bytes,
    events: types.length,
    /** Writes the time of sending into every event. @param seconds of the steady clock */
    stamp: (seconds: number) => {
      const text = formatTime(seconds)
      for (const at of timesAt) bytes.write(text, at, 'latin1')
    },
  }
}

/** The JSON of an event of EVENT_BYTES bytes. */
function eventText(type: string): string {
  const text = (filler: string) =>
    `{"event":"${type}","data":{${SENT_AT}${formatTime(0)}","text":"${filler}"}}`
  return text('x'.repeat(EVENT_BYTES - text('').length))
}

/** When the event was sent that an endpoint received, in seconds of the steady clock; NaN when it does not tell. */
export function sentAt(body: Buffer): number {
  const at = body.indexOf(SENT_AT)
  if (at < 0) return NaN
  const from = at + SENT_AT.length
  return Number(body.toString('latin1', from, from + TIME_LENGTH))
}
