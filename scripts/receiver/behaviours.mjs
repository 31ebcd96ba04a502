import { setTimeout as sleep } from 'node:timers/promises'

/** @typedef {import('./receiver.d.mts').Behaviour} Behaviour @typedef {import('node:http').ServerResponse} Response */

const OK_BODY = '{"ok":true}'

/**
 * The status a request is going to get.
 *
 * @param {Behaviour} behaviour
 * @param {number} number of the request since the path was told to behave so, the first is 1
 * @returns {number | undefined} undefined when no final status is ever sent
 */
export function statusFor(behaviour, number) {
  if (behaviour.hang || behaviour.reset) return undefined
  if (behaviour.redirect !== undefined) return behaviour.status ?? 302
  if (behaviour.failTimes === undefined) return behaviour.status ?? 200
  return number <= behaviour.failTimes ? (behaviour.status ?? 500) : (behaviour.then ?? 200)
}

/**
 * Answers a request as its path is told to.
 *
 * @param {Behaviour} behaviour
 * @param {number | undefined} status from statusFor
 * @param {Response} response
 * @returns {Promise<void>}
 */
export async function answer(behaviour, status, response) {
  if (behaviour.delayMs !== undefined) await sleep(behaviour.delayMs, undefined, { ref: false })
  if (response.destroyed || behaviour.hang) return
  if (behaviour.reset) return void response.socket?.destroy()
  const location = behaviour.redirect === undefined ? {} : { location: behaviour.redirect }
  response.writeHead(status ?? 200, { 'content-type': 'application/json', ...location, ...behaviour.headers })
  response.end(behaviour.body ?? OK_BODY)
}
