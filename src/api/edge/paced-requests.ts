import type { Socket } from 'node:net'
import type { OpenRequests } from './open-requests.ts'

/**
 * Node's parser gets pieces of at most this many bytes. A piece ends where the first headers end, because Node parses
 * everything that it gets and keeps two objects for each request. Only a piece with the end of a body may contain
 * several requests: up to 80 of the shortest ones.
 */
const PIECE_BYTES = 256
const END_OF_HEADERS = '\r\n\r\n'
/** Like PIECE_BYTES, but within a body. Larger pieces save time: 0.3 ms for a body of 200 KiB. */
const PIECE_OF_BODY_BYTES = 2_048

/**
 * Limits how many requests of a connection Node has parsed and not yet answered. Node has no such limit: one packet of
 * 64 KiB may contain 2,000 requests, and Node would go on reading. Here the bytes go to Node's parser in pieces until
 * it has a whole request. The next bytes wait until that request is answered. Until then the socket pauses, and the
 * bytes of at most two reads are kept: 128 KiB.
 *
 * The first bytes of a connection wait for a turn, so that a burst of new connections does not hold up the others.
 *
 * Call it once for each connection, after Node's HTTP server has set the connection up.
 */
export function paceRequests(socket: Socket, openRequests: OpenRequests, turns: Turns): void {
  const [parse] = socket.listeners('data') as [((piece: Buffer) => void)?]
  if (socket.destroyed || parse === undefined) return
  /** The bytes that the parser has not received yet, in the order of their arrival. */
  const waiting: Buffer[] = []
  let isFeeding = false
  let isPausedHere = false
  let isNew = true

  const feed = (): void => {
    if (isFeeding || isNew) return
    isFeeding = true
    for (let piece = nextPiece(); piece !== undefined; piece = nextPiece()) parse(piece)
    isFeeding = false
    if (waiting.length === 0 || socket.isPaused()) return
    isPausedHere = true
    socket.pause()
  }

  function nextPiece(): Buffer | undefined {
    if (!socket.writable || openRequests.isDone(socket)) waiting.length = 0
    const [first] = waiting
    // Node pauses the socket when its parser must not get more now, because an answer or a body waits for its reader.
    if (first === undefined || socket.isPaused()) return undefined
    const latest = openRequests.latest(socket)
    const isBody = latest?.request.complete === false
    if (latest && !isBody) return undefined
    const length = isBody ? PIECE_OF_BODY_BYTES : lengthOfHeaders(first)
    if (first.length > length) waiting[0] = first.subarray(length)
    else waiting.shift()
    return first.subarray(0, length)
  }

  socket.on('data', (bytes: Buffer) => {
    if (isNew && waiting.length === 0)
      turns.add(() => {
        isNew = false
        feed()
      })
    waiting.push(bytes)
    feed()
  })
  socket.removeListener('data', parse)
  // Readers of a body resume the socket too, and so does Node after each answer. After the last answer nothing is read,
  // because the rest of a flood would take memory.
  socket.on('resume', () => {
    if (!socket.writable) {
      socket.pause()
      return
    }
    isPausedHere = false
    feed()
  })
  openRequests.onAnswered(socket, () => {
    if (isPausedHere && !openRequests.latest(socket)) socket.resume()
  })
}

function lengthOfHeaders(bytes: Buffer): number {
  const end = bytes.subarray(0, PIECE_BYTES).indexOf(END_OF_HEADERS)
  return end === -1 ? PIECE_BYTES : end + END_OF_HEADERS.length
}

/** One turn of the event loop makes this share of the waiting calls, and at least one. */
const SHARE = 1 / 64

/**
 * Spreads a burst of calls over several turns of the event loop, so that other work goes on in between. Each turn makes a
 * share of the waiting calls. So no call waits for more than a few hundred turns, however large the burst is.
 */
export class Turns {
  readonly #waiting: (() => void)[] = []

  /** Calls `work` in one of the next turns, after everything that was added before. */
  add(work: () => void): void {
    this.#waiting.push(work)
    if (this.#waiting.length === 1) setImmediate(() => this.#next())
  }

  #next(): void {
    const count = Math.ceil(this.#waiting.length * SHARE)
    for (const work of this.#waiting.slice(0, count)) work()
    this.#waiting.splice(0, count)
    if (this.#waiting.length > 0) setImmediate(() => this.#next())
  }
}
