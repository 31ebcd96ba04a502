import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ErrorCode } from '../../domain/errors.ts'
import type { OpenRequests } from './open-requests.ts'
import { bareAnswer, rawAnswer } from '../middleware/error-envelope.ts'

/** Refusals made below the application. Each is sent after the answers that the connection still waits for. */
export type Refusals = {
  /** Notes a request. False when an earlier one was refused: then do not carry it out, and do not answer it. */
  readonly admit: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Answers this request with the refusal. */
  readonly refuse: (response: ServerResponse, code: ErrorCode, message: string) => void
  /** Refuses what arrived last on the connection: the rest of a request, or bytes that are no request. */
  readonly refuseLatest: (socket: Socket, code: ErrorCode, message: string) => void
}

/**
 * A connection ends with its refusal, because nothing that follows on it can be trusted. Requests before it are answered
 * first: they may have been carried out, and an answer may show something that is shown only once.
 */
export function createRefusals(openRequests: OpenRequests): Refusals {
  const refused = new WeakSet<Socket>()

  function refuse(response: ServerResponse, code: ErrorCode, message: string): void {
    const { socket } = response.req
    refused.add(socket)
    openRequests.takeNoMore(socket)
    const { status, headers, body } = bareAnswer(code, message)
    response.writeHead(status, headers).end(body)
  }

  function refuseLatest(socket: Socket, code: ErrorCode, message: string): void {
    if (refused.has(socket)) return
    refused.add(socket)
    openRequests.takeNoMore(socket)
    const latest = openRequests.latest(socket)
    if (latest === undefined) endWith(socket, code, message)
    else if (latest.request.complete) latest.response.once('finish', () => endWith(socket, code, message))
    else if (latest.response.headersSent) latest.response.once('finish', () => socket.destroy())
    else refuse(latest.response, code, message)
  }

  return {
    admit: (request, response) => openRequests.add(request, response),
    refuse,
    refuseLatest,
  }
}

/** Writes nothing to a connection that its last answer has closed. */
function endWith(socket: Socket, code: ErrorCode, message: string): void {
  if (socket.writable) socket.end(rawAnswer(code, message), () => socket.destroy())
}
