import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ErrorCode } from '../../domain/errors.js'
import type { OpenRequests } from './open-requests.js'
import { bareAnswer, rawAnswer } from '../middleware/error-envelope.js'

/** Refusals below the application, each sent behind the answers that are still to come on the connection. */
export type Refusals = {
  /** Notes a request. False when something before it was refused: it is neither carried out nor answered. */
  readonly admit: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Answers this request with the refusal. */
  readonly refuse: (response: ServerResponse, code: ErrorCode, message: string) => void
  /** Refuses what arrived last on the connection, be it the rest of a request or nothing that is one. */
  readonly refuseLatest: (socket: Socket, code: ErrorCode, message: string) => void
}

/**
 * A connection ends with its refusal: nothing that follows on it can be trusted. What was asked before is answered
 * first: it may have been carried out, and its answer may hold what is shown only once.
 */
export function createRefusals(openRequests: OpenRequests): Refusals {
  const refused = new WeakSet<Socket>()

  function refuse(response: ServerResponse, code: ErrorCode, message: string): void {
    refused.add(response.req.socket)
    const { status, headers, body } = bareAnswer(code, message)
    response.writeHead(status, headers).end(body)
  }

  function refuseLatest(socket: Socket, code: ErrorCode, message: string): void {
    if (refused.has(socket)) return
    refused.add(socket)
    const latest = openRequests.latest(socket)
    if (latest === undefined) endWith(socket, code, message)
    else if (latest.request.complete) latest.response.once('finish', () => endWith(socket, code, message))
    else if (latest.response.headersSent) latest.response.once('finish', () => socket.destroy())
    else refuse(latest.response, code, message)
  }

  return {
    admit: (request, response) => !refused.has(request.socket) && openRequests.add(request, response),
    refuse,
    refuseLatest,
  }
}

/** Nothing is written to a connection that its last answer has closed. */
function endWith(socket: Socket, code: ErrorCode, message: string): void {
  if (socket.writable) socket.end(rawAnswer(code, message), () => socket.destroy())
}
