import type { Socket } from 'node:net'
import type { OpenRequests } from './open-requests.ts'

/**
 * Bytes that Node's parser gets at once. It parses all of them and keeps two objects for each request. So this bounds how many
 * requests a connection may have beyond MOST_UNANSWERED: 10 of the shortest, or 80 behind a body.
 */
const PIECE_BYTES = 256
/** Within a body larger pieces save time: 0.3 ms for a body of 200 KiB. */
const PIECE_OF_BODY_BYTES = 2_048

/**
 * Bounds the requests of a connection that Node has read and not yet answered. Node itself has no such bound: one packet of 64 KiB
 * may hold 2,000 requests, and Node would go on reading. Here the bytes go to Node's parser in pieces, and wait while
 * MOST_UNANSWERED requests do. Then the socket pauses, so that at most the bytes of one read are kept.
 *
 * Call it once for each connection, when Node's HTTP server has set it up.
 */
export function paceRequests(socket: Socket, openRequests: OpenRequests): void {
  const [parse] = socket.listeners('data') as [((piece: Buffer) => void)?]
  if (socket.destroyed || parse === undefined) return
  /** What the parser has not got yet, in the order in which it came. */
  const waiting: Buffer[] = []
  let isFeeding = false
  let isPausedHere = false

  const feed = (): void => {
    if (isFeeding) return
    isFeeding = true
    for (let piece = nextPiece(); piece !== undefined; piece = nextPiece()) parse(piece)
    isFeeding = false
    if (waiting.length === 0 || socket.isPaused()) return
    isPausedHere = true
    socket.pause()
  }

  function nextPiece(): Buffer | undefined {
    if (socket.destroyed || openRequests.isDone(socket)) waiting.length = 0
    const [first] = waiting
    // Node pauses the socket when its parser must get nothing for now: an answer or a body waits for its reader.
    if (first === undefined || socket.isPaused() || openRequests.isFull(socket)) return undefined
    const isBody = openRequests.latest(socket)?.request.complete === false
    const length = isBody ? PIECE_OF_BODY_BYTES : PIECE_BYTES
    if (first.length > length) waiting[0] = first.subarray(length)
    else waiting.shift()
    return first.subarray(0, length)
  }

  socket.on('data', (bytes: Buffer) => {
    waiting.push(bytes)
    feed()
  })
  socket.removeListener('data', parse)
  // Reading a body resumes the socket too.
  socket.on('resume', () => {
    isPausedHere = false
    feed()
  })
  openRequests.onAnswered(socket, () => {
    if (isPausedHere && !openRequests.isFull(socket)) socket.resume()
  })
}
