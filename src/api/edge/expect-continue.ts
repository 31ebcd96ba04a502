import type { ServerResponse } from 'node:http'

/** Answers to clients that wait for 100 Continue, and whether their connection would be kept alive. */
const uninvited = new WeakMap<ServerResponse, boolean>()

/**
 * Notes that the client sends its body only when asked (`Expect: 100-continue`). An answer without that ends the
 * connection, because nobody can know whether the body still comes (RFC 9110, section 10.1.1).
 */
export function awaitInvitation(response: ServerResponse): void {
  uninvited.set(response, response.shouldKeepAlive)
  response.shouldKeepAlive = false
}

/** Asks for the body if the client waits to send it: 100 Continue. */
export function inviteBody(response: ServerResponse): void {
  const wouldKeepAlive = uninvited.get(response)
  if (wouldKeepAlive === undefined) return
  uninvited.delete(response)
  response.shouldKeepAlive = wouldKeepAlive
  response.writeContinue()
}
