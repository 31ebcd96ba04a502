import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { readJson, writePrivate } from '../lib/private-files.ts'
import { cli, createKey } from '../stack/company.ts'
import { PAST_WEBHOOKS } from './history-plan.ts'
import { writeHistory } from './history.ts'
import { apiClient } from './http.mjs'

/**
 * @typedef {{ email: string, password: string }} DemoUser who may sign in to the console
 * @typedef {{ companyId: string, key: string, keyId: string, webhooks: Record<string, { id: string }>, user: DemoUser }} Demo
 * @typedef {{ path: string, deliveryId: string, attempts: number, statuses: Array<number | undefined>, isVerified: boolean }} Proof
 *   statuses: what the receiver answered, in order; isVerified: every one of these requests carried a right signature
 */

/** The two endpoints of the proof: one always takes its events, one fails each event twice (receiver/paths). */
const PATHS = { healthy: '/healthy', flaky: '/fails-twice' }

const WEBHOOKS = {
  ...PAST_WEBHOOKS,
  flaky: { path: PATHS.flaky, name: 'Demo: fails each event twice', events: ['contact.created'] },
  healthy: { path: PATHS.healthy, name: 'Demo: healthy endpoint', events: ['contact.created'] },
}
/** Events that are really sent to the endpoint that fails. */
const LIVE_EVENTS = 3

/**
 * Makes sure that the demo's company, key, webhooks and user exist and work. They are remembered in a file and made anew
 * only when they are gone. Webhooks without any delivery get two weeks of history, and some events to a failing endpoint.
 *
 * @param {{ file: string, apiUrl: string, receiverPort: number, env: NodeJS.ProcessEnv }} options
 * @returns {Promise<Demo>}
 */
export async function seedDemo({ file, apiUrl, receiverPort, env }) {
  const known = (await readJson(file)) ?? {}
  const works =
    known.key !== undefined && (await apiClient(apiUrl, known.key)('GET', '/api-v1-webhooks')).status === 200
  const { companyId, key, keyId } = works ? known : await makeKey(known.companyId, env)
  const { webhooks = {}, user } = companyId === known.companyId ? known : {}
  const demo = { companyId, key, keyId, webhooks, user }
  const keep = () => writePrivate(file, JSON.stringify(demo, null, 2))
  const api = apiClient(apiUrl, key)
  await keep()
  for (const [name, { path, past, ...webhook }] of Object.entries(WEBHOOKS)) {
    const url = `https://127.0.0.1:${receiverPort}${path}`
    demo.webhooks[name] = await ensureWebhook(api, demo.webhooks[name], { ...webhook, url })
    await keep()
  }
  if (!demo.user) {
    const made = { email: 'demo@example.com', password: randomBytes(12).toString('base64url') }
    await cli(createUserArgs(companyId, made), env)
    demo.user = made
    await keep()
  }
  await ensureHistory(api, demo, env)
  return demo
}

async function makeKey(knownCompanyId, env) {
  const create = (companyId) => createKey(env, 'admin:all', companyId, 'Demo key')
  const again = knownCompanyId === undefined ? undefined : await create(knownCompanyId).catch(() => undefined)
  if (again) return again
  const { id } = await cli(['company', 'create', '--name', 'Demo company'], env)
  return create(id)
}

/**
 * The command that makes an admin; a random password may begin with a dash, so it is one word with its option.
 *
 * @type {(companyId: string, user: DemoUser) => string[]}
 */
export const createUserArgs = (companyId, { email, password }) => [
  ...['user', 'create', '--company', companyId, '--email', email, '--name', 'Demo user', '--role', 'admin'],
  `--password=${password}`,
]

async function ensureHistory(api, { companyId, keyId, webhooks }, env) {
  const webhookIds = Object.fromEntries(Object.keys(PAST_WEBHOOKS).map((name) => [name, webhooks[name].id]))
  const lists = await Promise.all(
    Object.values(webhookIds).map((id) => api('GET', `/api-v1-webhooks/${id}/deliveries?limit=1`)),
  )
  if (lists.some(({ data }) => data.length > 0)) return
  await writeHistory(env.DATABASE_URL, { companyId, keyId, webhookIds })
  const events = Array(LIVE_EVENTS).fill({ event: 'deal.updated', data: { stage: 'won' } })
  const { status, error } = await api('POST', '/api-v1-events', { events })
  if (status !== 201) throw new Error(`The demo events were refused: ${error?.code} ${error?.message}`)
}

/** Makes a webhook, or activates the known one; the receiver may have got another port since. */
async function ensureWebhook(api, known, webhook) {
  const { url } = webhook
  if (known) {
    const { status } = await api('PATCH', `/api-v1-webhooks/${known.id}`, { url, is_active: true })
    if (status === 200) return { id: known.id }
  }
  const { status, data, error } = await api('POST', '/api-v1-webhooks', webhook)
  if (status !== 201) throw new Error(`The demo webhook ${url} was refused: ${error?.code} ${error?.message}`)
  return { id: data.id }
}

/** How long a delivery of the proof may take. */
const TIMEOUT_MS = 45_000
const POLL_MS = 100

/**
 * Publishes one event (a new contact) and waits until both endpoints have taken it.
 *
 * @param {{ apiUrl: string, demo: Demo, receiver: { port: number, ca: string }, onUpdate: (text: string) => void }} options
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

/** Asks the demo receiver what arrived at a path so far: for each request `webhook_id`, `verified` and `status`. */
async function requestsAt({ port, ca }, path) {
  const dispatcher = new Agent({ connect: { ca } })
  const options = { method: 'POST', body: JSON.stringify({ path }), dispatcher }
  const { statusCode, body } = await request(`https://127.0.0.1:${port}/_control`, options)
  const answer = await body.json()
  await dispatcher.close()
  if (statusCode !== 200) throw new Error(`The demo receiver refused a question: ${answer.error}`)
  return answer.requests
}
