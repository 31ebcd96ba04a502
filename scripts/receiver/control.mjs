/** The only path that is no endpoint. Requests to it set how the other paths behave. */
export const CONTROL_PATH = '/_control'

/**
 * Carries out {path, behaviour?, secret?}: how the path behaves from now on, and a secret that it trusts. The answer lists
 * the requests to the path so far.
 *
 * @param {import('./receiver.d.mts').Receiver} receiver
 * @param {Buffer} body JSON
 * @param {import('node:http').ServerResponse} response 200, or 400 with what is wrong
 */
export function control(receiver, body, response) {
  const reply = (/** @type {number} */ status, /** @type {unknown} */ content) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content))
  try {
    const { path, behaviour, secret } = JSON.parse(body.toString('utf8'))
    if (typeof path !== 'string' || !path.startsWith('/'))
      throw new Error('path must be a string that starts with /')
    if (secret !== undefined) receiver.trust(path, secret)
    if (behaviour !== undefined) receiver.behave(path, behaviour)
    reply(200, { requests: receiver.requestsTo(path).map(summary) })
  } catch (error) {
    reply(400, { error: error instanceof Error ? error.message : String(error) })
  }
}

/** @param {import('./receiver.d.mts').ReceivedRequest} request */
const summary = ({ headers, verified, status, receivedAt }) => ({
  webhook_id: headers['webhook-id'],
  verified,
  status,
  received_at: receivedAt,
})
