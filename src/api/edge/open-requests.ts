import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

type OpenRequest = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Set while it waits for those before it. */
  begin?: () => void
}

/** The requests of each connection that are not answered to the end yet: Node parses ahead of the answers. */
export type OpenRequests = {
  /** Notes a request. False when the connection is to end before it: it is neither carried out nor answered. */
  readonly add: (request: IncomingMessage, response: ServerResponse) => boolean
  /**
   * What to wait for before the request is carried out: every request that came before on the connection is answered. So
   * a connection has one request under way and one answer in memory, however many it sends at once. Undefined when
   * there is none before it; never settles when the connection ends first.
   */
  readonly whenFirst: (request: IncomingMessage) => Promise<void> | undefined
  /** The one that came first; its answer goes out first. */
  readonly earliest: (socket: Socket) => OpenRequest | undefined
  /** The one that came last; its answer goes out last. */
  readonly latest: (socket: Socket) => OpenRequest | undefined
  /** Ends the connection behind its latest answer, or now when no request is under way. */
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
