import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

type OpenRequest = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Set while the request waits for those before it. */
  begin?: () => void
}

/** The requests of each connection whose answers are not finished. Node reads further requests before it has answered. */
export type OpenRequests = {
  /** Notes a request. False when the connection will end before it: do not carry it out, and do not answer it. */
  readonly add: (request: IncomingMessage, response: ServerResponse) => boolean
  /**
   * Resolves when every request that came before on the connection is answered. So a connection has one request under way
   * and one answer in memory, however many it sends at once. Undefined when there is none before it; never settles when
   * the connection ends first.
   */
  readonly whenFirst: (request: IncomingMessage) => Promise<void> | undefined
  /** The request that came first; its answer goes out first. */
  readonly earliest: (socket: Socket) => OpenRequest | undefined
  /** The request that came last; its answer goes out last. */
  readonly latest: (socket: Socket) => OpenRequest | undefined
  /** Ends the connection after its latest answer, or now when no request is under way. */
  readonly closeBehindLatest: (socket: Socket) => void
}

export function createOpenRequests(): OpenRequests {
  const unanswered = new WeakMap<Socket, Set<OpenRequest>>()
  const closing = new WeakSet<Socket>()
  const earliest = (socket: Socket) => unanswered.get(socket)?.values().next().value
  const latest = (socket: Socket) => [...(unanswered.get(socket) ?? [])].at(-1)
  return {
    add(request, response) {
      const { socket } = request
      if (closing.has(socket)) return false
      const openRequests = unanswered.get(socket) ?? new Set()
      const openRequest: OpenRequest = { request, response }
      unanswered.set(socket, openRequests.add(openRequest))
      response.once('finish', () => {
        openRequests.delete(openRequest)
        earliest(socket)?.begin?.()
      })
      return true
    },
    whenFirst(request) {
      const openRequests = [...(unanswered.get(request.socket) ?? [])]
      const openRequest = openRequests.find((other) => other.request === request)
      if (!openRequest || openRequest === openRequests[0]) return undefined
      return new Promise((begin) => {
        openRequest.begin = begin
      })
    },
    earliest,
    latest,
    closeBehindLatest(socket) {
      closing.add(socket)
      const last = latest(socket)
      if (!last) {
        socket.destroy()
        return
      }
      if (!last.response.headersSent) last.response.shouldKeepAlive = false
      last.response.once('finish', () => socket.destroySoon())
    },
  }
}
