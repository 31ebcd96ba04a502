const HEAD_END = '\r\n\r\n'
/** @type {Buffer} */
const NOTHING = Buffer.alloc(0)

/**
 * Cuts the bytes of one connection into HTTP/1.1 messages. Load and receiver share the processor with the service, so they
 * read messages by hand: Node's own parser and objects would cost several times as much.
 */
export class MessageReader {
  #rest = NOTHING
  #onMessage

  /** @param {(head: string, body: Buffer) => void} onMessage head: start line and headers, without the empty line */
  constructor(onMessage) {
    this.#onMessage = onMessage
  }

  /**
   * @param {Buffer} chunk
   * @throws {Error} when a message does not tell its length by content-length
   */
  read(chunk) {
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

/** @param {string} head @returns {number} */
function contentLength(head) {
  const found = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (found === undefined) throw new Error(`a message without content-length: ${head.split('\r\n', 1)[0]}`)
  return Number(found)
}
