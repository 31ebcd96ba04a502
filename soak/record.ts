import { Webhook } from 'standardwebhooks'

/**
 * @typedef {import('../receiver/receiver.d.mts').ReceivedRequest} ReceivedRequest
 *
 * @typedef {object} Seen one request that an endpoint received
 * @property {string} path names the webhook
 * @property {string} id webhook-id: the event's id
 * @property {number} atMs epoch
 * @property {number | undefined} status what it was answered
 * @property {boolean} isCut its connection was closed without an answer
 * @property {number} secret number of the path's secret that fits the signature; -1: none that is known
 * @property {number | undefined} tag the number that the publisher gave the event
 *
 * @typedef {{ verifier: Webhook, retiredAtMs: number }} Secret retiredAtMs: when the api answered with the next one
 */

/** The receivers' record: which request came when, what it was answered, and which secret had signed it. */
export class ReceiverRecord {
  /** @type {Seen[]} */
  seen = []
  /** @type {Map<string, Secret[]>} by path, the oldest first */
  #secrets = new Map()
  /** @type {Map<string, { seen: Seen, request: ReceivedRequest }[]>} by path: signed by a secret that is not known yet */
  #unverified = new Map()

  /** @param {ReceivedRequest} request */
  add(request) {
    const { path, headers, receivedAt, status, isCut } = request
    const secret = this.#findSecret(request)
    const id = String(headers['webhook-id'])
    const seen = { path, id, atMs: receivedAt.getTime(), status, isCut, secret, tag: tagOf(request.body) }
    this.seen.push(seen)
    if (secret >= 0) return
    const waiting = this.#unverified.get(path) ?? []
    waiting.push({ seen, request })
    this.#unverified.set(path, waiting)
  }

  /**
   * Takes a secret that the api has answered with, and checks again what no former secret fits.
   *
   * @param {string} path
   * @param {string} secret
   */
  learn(path, secret) {
    const secrets = this.#secrets.get(path) ?? []
    const former = secrets.at(-1)
    if (former) former.retiredAtMs = Date.now()
    secrets.push({ verifier: new Webhook(secret), retiredAtMs: Infinity })
    this.#secrets.set(path, secrets)
    const waiting = this.#unverified.get(path) ?? []
    for (const { seen, request } of waiting) seen.secret = this.#findSecret(request)
    this.#unverified.set(
      path,
      waiting.filter(({ seen }) => seen.secret < 0),
    )
  }

  /** @param {Seen} seen @returns {number} when the secret of its signature was replaced, epoch; Infinity: never */
  retiredAtMs({ path, secret }) {
    return this.#secrets.get(path)?.[secret]?.retiredAtMs ?? Infinity
  }

  /** @param {ReceivedRequest} request @returns {number} the newest secret that fits; -1 for none */
  #findSecret({ path, headers, body }) {
    return (this.#secrets.get(path) ?? []).findLastIndex(({ verifier }) => {
      try {
        verifier.verify(body, /** @type {Record<string, string>} */ (headers), { jsonParse: false })
        return true
      } catch {
        return false
      }
    })
  }
}

/** @param {{ status: number | null | undefined }} seen @returns {boolean} whether it was answered with 2xx */
export const isGood = ({ status }) => (status ?? 0) >= 200 && (status ?? 0) <= 299

/** @param {{ path: string, id: string }} seen @returns {string} names a delivery: an event at a webhook */
export const deliveryKey = ({ path, id }) => `${path} ${id}`

/**
 * @param {Buffer | string} body of an event
 * @returns {number | undefined} the publisher's number; undefined for what the soak did not publish
 */
export function tagOf(body) {
  try {
    return JSON.parse(body.toString()).data.tag
  } catch {
    return undefined
  }
}
