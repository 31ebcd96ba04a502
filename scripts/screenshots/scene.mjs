import { apiClient } from '../demo/http.mjs'
import { waitUntil } from '../lib/ready.mjs'

/** What is there to see beside the history: by name, the path of its endpoint, its event, and how it is retried. */
const WEBHOOKS = [
  { name: 'Billing', path: '/status/500', event: 'deal.deleted', max_retries: 1, retry_schedule: [1] },
  { name: 'Search', path: '/status/429', event: 'organization.updated', retry_schedule: [900] },
  { name: 'Former', path: '/status/404', event: 'organization.deleted', retry_schedule: [900] },
]

/**
 * Makes webhooks whose endpoints fail, sends each an event, and deletes one of them.
 *
 * @param {{ apiUrl: string, key: string, receiver: string }} options receiver: base URL
 * @returns {Promise<{ failedId: string, waitingId: string }>} deliveries: one failed for good, one waits for its retry
 */
export async function playScene({ apiUrl, key, receiver }) {
  const api = apiClient(apiUrl, key)
  /** @param {string} method @param {string} path @param {unknown} [body] */
  const call = async (method, path, body) => {
    const { status, data, error } = await api(method, path, body)
    if (status >= 300) throw new Error(`${method} ${path} was answered ${status}: ${error?.message}`)
    return data
  }
  /** @type {string[]} */
  const ids = []
  for (const { path, event, ...webhook } of WEBHOOKS) {
    const { id } = await call('POST', '/api-v1-webhooks', {
      ...webhook,
      url: `${receiver}${path}`,
      events: [event],
    })
    ids.push(id)
    await call('POST', '/api-v1-events', { event, data: { name: webhook.name } })
  }
  const [failing = '', waiting = '', former = ''] = ids
  await waitUntil('A delivery of each webhook', async () => {
    const lists = await Promise.all(ids.map((id) => call('GET', `/api-v1-webhooks/${id}/deliveries`)))
    return lists.every(([delivery]) => delivery?.attempts > 0) && lists[0][0].status === 'failed'
  })
  await call('DELETE', `/api-v1-webhooks/${former}`)
  const [{ id: failedId }] = await call('GET', `/api-v1-webhooks/${failing}/deliveries`)
  const [{ id: waitingId }] = await call('GET', `/api-v1-webhooks/${waiting}/deliveries`)
  return { failedId, waitingId }
}
