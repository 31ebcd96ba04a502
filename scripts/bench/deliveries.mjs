const WAIT_MS = 60_000
/** Events of one request. */
const BATCH = 100

/**
 * @typedef {import('./hostile/stack.mjs').Api} Api
 * @typedef {import('../receiver/receiver.d.mts').Receiver} Receiver
 * @typedef {{ type: string, path: string }} Endpoint whose path of the receiver gets the events of the type
 *
 * @typedef {object} PublishTimes
 * @property {number[]} acceptedMs from each publish to its answer
 * @property {number[]} receivedMs from each answer to the request's arrival
 */

/**
 * @param {Api} api
 * @param {Receiver} receiver
 * @param {Endpoint & Record<string, unknown>} endpoint with further fields of the webhook
 * @returns {Promise<string>} the webhook's id
 */
export async function subscribe(api, receiver, { type, path, ...fields }) {
  const body = { name: type, url: receiver.url(path), events: [type], ...fields }
  const { status, data, error } = await api('POST', '/api-v1-webhooks', body)
  if (status !== 201) throw new Error(`a webhook was answered with ${status}: ${error?.message}`)
  return data.id
}

/**
 * Publishes one event after the other, for the endpoints in turns, at a fixed rate whatever the answers take.
 *
 * @param {Api} api
 * @param {Receiver} receiver
 * @param {{ endpoints: readonly Endpoint[], seconds: number, perSecond: number }} options
 * @returns {Promise<PublishTimes>} once all have arrived
 */
export async function measureDeliveries(api, receiver, { endpoints, seconds, perSecond }) {
  const before = endpoints.map(({ path }) => receiver.requestsTo(path).length)
  /** @type {Map<string, number>} */
  const answeredAt = new Map()
  /** @type {number[]} */
  const acceptedMs = []
  const publish = async (/** @type {string} */ event) => {
    const startedMs = performance.now()
    const { status, data } = await api('POST', '/api-v1-events', { event, data: {} })
    if (status !== 201) throw new Error(`a publish was answered with ${status}`)
    answeredAt.set(data.id, Date.now())
    acceptedMs.push(performance.now() - startedMs)
  }
  const publishes = []
  for (let n = 0; n < seconds * perSecond; n++) {
    publishes.push(publish(endpoints[n % endpoints.length]?.type ?? ''))
    await new Promise((resolve) => setTimeout(resolve, 1000 / perSecond))
  }
  await Promise.all(publishes)
  const receivedMs = []
  for (const [index, { path }] of endpoints.entries()) {
    const already = before[index] ?? 0
    const sent = Math.ceil((publishes.length - index) / endpoints.length)
    const requests = await receiver.waitFor(path, already + sent, { timeoutMs: WAIT_MS })
    for (const { headers, receivedAt } of requests.slice(already)) {
      receivedMs.push(
        Math.max(0, receivedAt.getTime() - (answeredAt.get(String(headers['webhook-id'])) ?? NaN)),
      )
    }
  }
  return { acceptedMs, receivedMs }
}

/**
 * Publishes as many events as are wanted, in requests of 100.
 *
 * @param {Api} api
 * @param {string} event its type
 * @param {number} count
 */
export async function publishMany(api, event, count) {
  for (let sent = 0; sent < count; sent += BATCH) {
    const events = Array.from({ length: Math.min(BATCH, count - sent) }, () => ({ event, data: {} }))
    const { status } = await api('POST', '/api-v1-events', { events })
    if (status !== 201) throw new Error(`${count} events were answered with ${status}`)
  }
}
