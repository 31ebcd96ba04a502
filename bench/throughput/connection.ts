import { connect, type Socket } from 'node:net'

const HEAD_END = '\r\n\r\n'
const NOTHING: Buffer = Buffer.alloc(0)

/**
 * Cuts the bytes of one connection into HTTP/1.1 messages. Load and receiver share the processor with the service, so they
 * read messages by hand: Node's own parser and objects would cost several times as much.
 */
export class MessageReader {
  #rest = NOTHING
  readonly #onMessage: (head: string, body: Buffer) => void

  /** @param onMessage head: start line and headers, without the empty line */
  constructor(onMessage: (head: string, body: Buffer) => void) {
    this.#onMessage = onMessage
  }

  /** @throws Error when a message does not tell its length by content-length */
  read(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    for (;;) {
      const headEnd = this.#rest.indexOf(HEAD_END)
      if (headEnd < 0) return
      const head = this.#rest.toString('latin1', 0, headEnd)
      const bodyAt = headEnd + HEAD_END.length
      const end = bodyAt + contentLength(head)
      if (this.#rest.length < end) return
      const body = this.#rest.subarray(bodyAt, end)
      this.#rest = this.#rest.subarray(end)
      this.#onMessage(head, body)
    }
  }
}

function contentLength(head: string): number {
  const found = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (found === undefined) throw new Error(`a message without content-length: ${head.split('\r\n', 1)[0]}`)
  return Number(found)
}

/** `status`: 0 when the connection ended before the answer. */
export type Answer = { readonly status: number; readonly body: Buffer }

/** A kept connection to a port of this machine, with one request at a time. It connects again when the other side has closed it. */
export class LoadConnection {
  #socket: Socket | undefined
  #answered: ((answer: Answer) => void) | undefined
  readonly #port: number

  constructor(port: number) {
    this.#port = port
  }

  /** @param bytes a whole request */
  send(bytes: Buffer): Promise<Answer> {
    return new Promise((resolve) => {
      this.#answered = resolve
      this.#socket ??= this.#connect()
      this.#socket.write(bytes)
    })
  }

  close(): void {
    this.#socket?.destroy()
  }

  #connect(): Socket {
    const reader = new MessageReader((head, body) =>
      this.#answered?.({ status: Number(head.slice(9, 12)), body }),
    )
    const socket = connect({ host: '127.0.0.1', port: this.#port, noDelay: true })
    socket.on('data', (chunk) => reader.read(chunk))
    socket.on('error', () => undefined)
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = undefined
      this.#answered?.({ status: 0, body: NOTHING })
    })
    return socket
  }
}
