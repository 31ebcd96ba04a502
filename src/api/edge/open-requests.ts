import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

type OpenRequest = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Set while the request waits for those before it. */
  begin?: () => void
}

/**
 * The requests of each connection whose answers are not finished, in the order in which they came. Node reads further
 * requests before it has answered; paceRequests bounds how many. So each list here is short.
 */
export class OpenRequests {
  readonly #unanswered = new WeakMap<Socket, OpenRequest[]>()
  readonly #closing = new WeakSet<Socket>()
  readonly #onAnswered = new WeakMap<Socket, () => void>()

  /** Notes a request. False when the connection will end before it: do not carry it out, and do not answer it. */
  add(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request
    if (this.#closing.has(socket)) return false
    const unanswered = this.#unanswered.get(socket) ?? []
    this.#unanswered.set(socket, unanswered)
    unanswered.push({ request, response })
    // Node sends the answers in the order of the requests.
    response.once('finish', () => {
      unanswered.shift()
      unanswered[0]?.begin?.()
      this.#onAnswered.get(socket)?.()
    })
    return true
  }

  /**
   * Resolves when every earlier request of the connection is answered. So a connection has one request under way and one
   * answer in memory, however many it sends at once. Undefined when there is no earlier one. Never settles when the
   * connection ends first.
   */
  whenFirst(request: IncomingMessage): Promise<void> | undefined {
    const { socket } = request
    const openRequest = this.#unanswered.get(socket)?.find((other) => other.request === request)
    if (!openRequest || openRequest === this.earliest(socket)) return undefined
    return new Promise((begin) => {
      openRequest.begin = begin
    })
  }

  /** The request that came first; its answer goes out first. */
  earliest(socket: Socket): OpenRequest | undefined {
    return this.#unanswered.get(socket)?.[0]
  }

  /** The request that came last; its answer goes out last. */
  latest(socket: Socket): OpenRequest | undefined {
    return this.#unanswered.get(socket)?.at(-1)
  }

  /** From now on no request is taken on the connection. */
  takeNoMore(socket: Socket): void {
    this.#closing.add(socket)
  }

  /** True if further bytes may be dropped: no more requests are taken, and the latest one has arrived completely. */
  isDone(socket: Socket): boolean {
    return this.#closing.has(socket) && this.latest(socket)?.request.complete !== false
  }

  /** Ends the connection after its latest answer, or now when no request is under way. */
  closeBehindLatest(socket: Socket): void {
    this.takeNoMore(socket)
    const last = this.latest(socket)
    if (!last) {
      socket.destroy()
      return
    }
    if (!last.response.headersSent) last.response.shouldKeepAlive = false
    last.response.once('finish', () => socket.destroySoon())
  }

  /** @param listener called after each answer of the connection */
  onAnswered(socket: Socket, listener: () => void): void {
    this.#onAnswered.set(socket, listener)
  }
}
