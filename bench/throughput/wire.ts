import { connect, type Socket } from 'node:net'

/*
 * Load and receiver share the processor with the service, so they read HTTP by hand: Node's own parser and objects would cost
 * several times as much.
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
    port,
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
