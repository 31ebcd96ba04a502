import { setTimeout as sleep } from 'node:timers/promises'
import { apiClient, requestsAt } from './http.mjs'
import { PATHS } from './seed.mjs'

const TIMEOUT_MS = 45_000
const POLL_MS = 100

/**
 * @typedef {{ path: string, deliveryId: string, attempts: number, statuses: Array<number | undefined>, isVerified: boolean }} Proof
 *   statuses: what the receiver answered, in order; isVerified: every one of these requests carried a right signature
 */

/**
 * Publishes one event (a new contact) and waits until both endpoints have taken it.
 *
 * @param {{ apiUrl: string, demo: import('./seed.mjs').Demo, receiver: { port: number, ca: string }, onUpdate: (text: string) => void }} options
 * @returns {Promise<Proof[]>} the healthy endpoint first
 * @throws {Error} when a delivery is not `success` in time, with its state
 */
export async function proveDelivery({ apiUrl, demo, receiver, onUpdate }) {
  const api = apiClient(apiUrl, demo.key)
  const { status, data, error } = await api('POST', '/api-v1-contacts', { name: 'Demo contact' })
  if (status !== 201) throw new Error(`The demo contact was refused: ${error?.code} ${error?.message}`)
  const proofs = []
  for (const [name, path] of Object.entries(PATHS)) {
    onUpdate(`waiting for ${path}`)
    const { id, event_id: eventId, attempts } = await waitForSuccess(api, demo.webhooks[name].id, data.id)
    const requests = (await requestsAt(receiver, path)).filter((request) => request.webhook_id === eventId)
    const isVerified = requests.length > 0 && requests.every(({ verified }) => verified === true)
    const statuses = requests.map((request) => request.status)
    proofs.push({ path, deliveryId: id, attempts, statuses, isVerified })
  }
  return proofs
}

async function waitForSuccess(api, webhookId, contactId) {
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    const { data = [] } = await api('GET', `/api-v1-webhooks/${webhookId}/deliveries?limit=10`)
    // Only a successful delivery shows its payload, so this one is both ours and done.
    const done = data.find((delivery) => delivery.payload?.data?.id === contactId)
    if (done) return done
    if (performance.now() > deadline) throw new Error(lateMessage(data[0]))
    await sleep(POLL_MS)
  }
}

const lateMessage = (newest) =>
  newest === undefined
    ? 'The demo event made no delivery'
    : `The demo delivery ${newest.id} is still ${newest.status} after ${newest.attempts} attempts (last answer: ` +
      `${newest.response_code ?? 'none'}). If you set WEBHOOK_ALLOWED_NETWORKS or WEBHOOK_CA_FILE, they have to ` +
      'include the demo receiver; logs/worker.log in the data directory says more.'
