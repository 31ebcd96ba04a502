import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse }

/** The requests of each connection that are not answered to the end yet: Node parses ahead of the answers. */
export type Exchanges = {
  readonly add: (request: IncomingMessage, response: ServerResponse) => void
  /** The one that came last; its answer goes out last. */
  readonly latest: (socket: Socket) => Exchange | undefined
}

export function createExchanges(): Exchanges {
  const unanswered = new WeakMap<Socket, Set<Exchange>>()
  return {
    add(request, response) {
      const { socket } = request
      const exchanges = unanswered.get(socket) ?? new Set()
      const exchange = { request, response }
      unanswered.set(socket, exchanges.add(exchange))
      response.once('finish', () => exchanges.delete(exchange))
    },
    latest: (socket) => [...(unanswered.get(socket) ?? [])].at(-1),
  }
}
