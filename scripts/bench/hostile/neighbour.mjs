import { measureDeliveries, subscribe } from '../deliveries.mjs'

const TYPES = ['contact.created', 'contact.updated', 'organization.created', 'organization.updated']
/** A light load: a delivery takes about 30 ms of processor time of all processes together. */
const PER_SECOND = 10
const SECONDS = 7
const WARM_UP_SECONDS = 2

/**
 * Creates a company of four webhooks with healthy endpoints.
 *
 * @param {import('./stack.mjs').HostileStack} stack
 * @returns {Promise<{ companyId: string, measure: () => Promise<import('../deliveries.mjs').PublishTimes> }>} measure: publishes
 *   for 7 s, 10 events a second
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
