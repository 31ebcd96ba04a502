import type { ServerResponse } from 'node:http'

/** Answers to clients that wait for an invitation, and whether their connection would be kept. */
const uninvited = new WeakMap<ServerResponse, boolean>()

/**
 * Notes that the client sends its body only when asked (`Expect: 100-continue`). An answer without invitation ends the
 * connection: whether the body comes all the same cannot be known (RFC 9110, section 10.1.1).
 */
export function awaitInvitation(response: ServerResponse): void {
  uninvited.set(response, response.shouldKeepAlive)
  response.shouldKeepAlive = false
}

/** Asks for the body where the client waits with it: 100 Continue. */
export function inviteBody(response: ServerResponse): void {
  const wouldKeepAlive = uninvited.get(response)
  if (wouldKeepAlive === undefined) return
  uninvited.delete(response)
  response.shouldKeepAlive = wouldKeepAlive
  response.writeContinue()
}
