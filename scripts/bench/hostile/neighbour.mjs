import { measureDeliveries, subscribe } from '../deliveries.mjs'

const TYPES = ['contact.created', 'contact.updated', 'organization.created', 'organization.updated']
/** So many events a phase that the slowest of them alone does not make its p99. */
const PER_SECOND = 21
const SECONDS = 5
const WARM_UP_SECONDS = 2

/**
 * Creates a company of four webhooks with healthy endpoints.
 *
 * @param {import('./stack.mjs').HostileStack} stack
 * @returns {Promise<{ companyId: string, measure: () => Promise<import('../deliveries.mjs').PublishTimes> }>} measure: publishes
 *   for 5 s, 21 events a second
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
