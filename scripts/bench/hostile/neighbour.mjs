import { measureDeliveries, subscribe } from '../deliveries.mjs'

const TYPES = ['contact.created', 'contact.updated', 'organization.created', 'organization.updated']
/** So many events a phase that the slowest of them alone does not make its p99. */
const PER_SECOND = 17
const SECONDS = 6
const WARM_UP_SECONDS = 2

/**
 * Creates a company of four webhooks with healthy endpoints.
 *
 * @param {import('./stack.mjs').HostileStack} stack
 * @returns {Promise<{ companyId: string, measure: () => Promise<import('../deliveries.mjs').PublishTimes> }>} measure: publishes
 *   for 6 s, 17 events a second
 */
export async function createNeighbour({ tenant, receiver }) {
  const { companyId, api } = await tenant()
  const endpoints = TYPES.map((type) => ({ type, path: `/${companyId}/${type}` }))
  for (const endpoint of endpoints) await subscribe(api, receiver, endpoint)
  const measure = (/** @type {number} */ seconds) =>
    measureDeliveries(api, receiver, { endpoints, seconds, perSecond: PER_SECOND })
  await measure(WARM_UP_SECONDS)
  return { companyId, measure: () => measure(SECONDS) }
}

/**
 * Publishes as many events as are wanted, in requests of 100.
 *
 * @param {import('./stack.mjs').Api} api
 * @param {string} event its type
 * @param {number} count
 */
export async function publishMany(api, event, count) {
  for (let sent = 0; sent < count; sent += 100) {
    const events = Array.from({ length: Math.min(100, count - sent) }, () => ({ event, data: {} }))
    const { status } = await api('POST', '/api-v1-events', { events })
    if (status !== 201) throw new Error(`${count} events were answered with ${status}`)
  }
}
