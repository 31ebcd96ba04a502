import { connect } from 'node:net'
import { MessageReader } from './messages.mjs'

/** @typedef {{ status: number, body: Buffer }} Answer status: 0 when the connection ended before the answer */

/** A kept connection to the api that carries one request at a time. It connects again when the api has closed it. */
export class LoadConnection {
  /** @type {import('node:net').Socket | undefined} */
  #socket
  /** @type {((answer: Answer) => void) | undefined} */
  #answered
  #port

  /** @param {number} port on this machine */
  constructor(port) {
    this.#port = port
  }

  /**
   * @param {Buffer} bytes a whole request
   * @param {(answer: Answer) => void} answered
   */
  send(bytes, answered) {
    this.#answered = answered
    this.#socket ??= this.#connect()
    this.#socket.write(bytes)
  }

  close() {
    this.#socket?.destroy()
  }

  #connect() {
    const reader = new MessageReader((head, body) =>
      this.#settle({ status: Number(head.slice(9, 12)), body }),
    )
    const socket = connect({ host: '127.0.0.1', port: this.#port, noDelay: true })
    socket.on('data', (chunk) => reader.read(chunk))
    socket.on('error', () => undefined)
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = undefined
      this.#settle({ status: 0, body: Buffer.alloc(0) })
    })
    return socket
  }

  /** @param {Answer} answer */
  #settle(answer) {
    const answered = this.#answered
    this.#answered = undefined
    answered?.(answer)
  }
}
