import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ErrorCode } from '../../domain/errors.ts'
import { bareAnswer, rawAnswer } from '../middleware/error-envelope.ts'

type OpenRequest = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Set while the request waits for earlier requests of its connection. */
  begin?: () => void
}

/**
 * For each connection, the requests that are not completely answered, in the order of their arrival. Node reads further
 * requests before it has answered the earlier ones. paceRequests limits how many, so each list here is short.
 *
 * It also answers requests that are refused before Koa gets them. The connection ends with that refusal, because
 * nothing that follows on it can be trusted. Earlier requests are answered first: they may have been carried out, and
 * an answer may show a secret that can be seen only once.
 */
export class OpenRequests {
  readonly #unanswered = new WeakMap<Socket, OpenRequest[]>()
  readonly #closing = new WeakSet<Socket>()
  readonly #refused = new WeakSet<Socket>()
  readonly #onAnswered = new WeakMap<Socket, () => void>()

  /** Adds a request. Returns false if the connection is ending. Then do not carry the request out, and do not answer it. */
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
   * Resolves when every earlier request of the connection is answered. So a connection has one request under way and
   * one answer in memory, however many requests it sends at once. Returns undefined if there is no earlier request.
   * Never settles if the connection ends first.
   */
  whenFirst(request: IncomingMessage): Promise<void> | undefined {
    const { socket } = request
    const openRequest = this.#unanswered.get(socket)?.find((other) => other.request === request)
    if (!openRequest || openRequest === this.earliest(socket)) return undefined
    return new Promise((begin) => {
      openRequest.begin = begin
    })
  }

  /** The request that arrived first. Its answer is sent first. */
  earliest(socket: Socket): OpenRequest | undefined {
    return this.#unanswered.get(socket)?.[0]
  }

  /** The request that arrived last. Its answer is sent last. */
  latest(socket: Socket): OpenRequest | undefined {
    return this.#unanswered.get(socket)?.at(-1)
  }

  /** True if further bytes may be dropped: no more requests are taken, and the latest one has arrived completely. */
  isDone(socket: Socket): boolean {
    return this.#closing.has(socket) && this.latest(socket)?.request.complete !== false
  }

  /** Ends the connection after its latest answer, or now when no request is under way. */
  closeAfterLatest(socket: Socket): void {
    this.#closing.add(socket)
    const last = this.latest(socket)
    if (!last) {
      socket.destroy()
      return
    }
    if (!last.response.headersSent) last.response.shouldKeepAlive = false
    last.response.once('finish', () => socket.destroySoon())
  }

  /** Answers this request with the refusal. */
  refuse(response: ServerResponse, code: ErrorCode, message: string): void {
    const { socket } = response.req
    this.#refused.add(socket)
    this.#closing.add(socket)
    const { status, headers, body } = bareAnswer(code, message)
    response.writeHead(status, headers).end(body)
  }

  /** Refuses what arrived last on the connection: the rest of a request, or bytes that are not a request. */
  refuseLatest(socket: Socket, code: ErrorCode, message: string): void {
    if (this.#refused.has(socket)) return
    this.#refused.add(socket)
    this.#closing.add(socket)
    const latest = this.latest(socket)
    if (latest === undefined) endWith(socket, code, message)
    else if (latest.request.complete) latest.response.once('finish', () => endWith(socket, code, message))
    else if (latest.response.headersSent) latest.response.once('finish', () => socket.destroy())
    else this.refuse(latest.response, code, message)
  }

  /** @param listener called after each answer of the connection */
  onAnswered(socket: Socket, listener: () => void): void {
    this.#onAnswered.set(socket, listener)
  }
}

/** Sends the refusal and ends the connection, unless its last answer has closed it. */
function endWith(socket: Socket, code: ErrorCode, message: string): void {
  if (socket.writable) socket.end(rawAnswer(code, message), () => socket.destroy())
}
