/**
 * @typedef {object} Parts
 * @property {import('./client.mjs').SoakClient} client
 * @property {import('./ledger.mjs').Ledger} ledger
 * @property {import('./webhooks.mjs').SoakWebhooks} webhooks
 * @property {import('./random.mjs').SeededRandom} random
 */

const PATH = '/api-v1-webhooks'
/** Most retries are asked for at endpoints that fail: others have nothing to retry. */
const RETRIES_AT_FAILING = 0.9

/** Asks for a test event. @param {Parts} parts */
export async function sendTest({ client, ledger, webhooks, random }) {
  const webhook = webhooks.pick(random)
  if (!webhook) return
  const answer = await client.call('POST', `${PATH}/${webhook.id}/test`)
  // 404: the webhook was deleted meanwhile.
  if (!ledger.note('test', answer, { good: [200], allowed: [404] })) return
  ledger.tests.push({ deliveryId: answer.data.delivery_id, isSuccess: answer.data.success })
}

/** Asks for a retry of one of a webhook's latest deliveries that have not succeeded. @param {Parts} parts */
export async function requestRetry({ client, ledger, webhooks, random }) {
  const isFailing = random.isHit(RETRIES_AT_FAILING)
  const webhook = webhooks.pick(random, { isWanted: ({ kind }) => (kind === 'good') !== isFailing })
  if (!webhook) return
  const path = `${PATH}/${webhook.id}/deliveries`
  const wanted = random.isHit(0.5) ? 'failed' : 'retrying'
  const { status, data } = await client.call('GET', `${path}?status=${wanted}&limit=20`)
  const delivery = status === 200 ? random.pick(/** @type {{ id: string }[]} */ (data)) : undefined
  if (!delivery) return
  const answer = await client.call('POST', `${path}/${delivery.id}/retry`, { mode: 'keyed' })
  // 400: it succeeded meanwhile; 404: the webhook was deleted meanwhile.
  ledger.note('retry', answer, { good: [200], allowed: [400, 404] })
}

/** Asks to send one of a webhook's latest deliveries that have ended once more. @param {Parts} parts */
export async function requestResend({ client, ledger, webhooks, random }) {
  const webhook = webhooks.pick(random)
  if (!webhook) return
  const path = `${PATH}/${webhook.id}/deliveries`
  const { status, data } = await client.call('GET', `${path}?status=success,failed&limit=20`)
  const deliveries = /** @type {{ id: string, event_type: string }[]} */ (status === 200 ? data : [])
  const delivery = random.pick(deliveries.filter(({ event_type: type }) => type !== 'test.webhook'))
  if (!delivery) return
  const answer = await client.call('POST', `${path}/${delivery.id}/resend`, { mode: 'keyed' })
  // 400: a retry has opened it meanwhile; 404: the webhook was deleted meanwhile.
  if (ledger.note('resend', answer, { good: [202], allowed: [400, 404] }))
    ledger.resends.push({ id: answer.data.id, of: delivery.id })
}

/** Since when recoveries bring what failed or was missed: everything. */
const SINCE = '2020-01-01T00:00:00Z'
/** Most recoveries are of webhooks whose endpoints fail, also while they do. */
const RECOVERIES_AT_FAILING = 0.7

/** Asks to recover what failed at a webhook, or what its pauses missed. @param {Parts} parts */
export async function requestRecovery({ random, webhooks, ...parts }) {
  const isFailing = random.isHit(RECOVERIES_AT_FAILING)
  const webhook = webhooks.pick(random, { isWanted: ({ kind }) => (kind === 'good') !== isFailing })
  if (webhook) await recover(parts, webhook, random.isHit(0.5) ? 'failed' : 'missed')
}

/** Recovers what failed at each webhook that may be there. @param {Parts} parts */
export async function recoverAll({ webhooks, ...parts }) {
  const there = webhooks.all.filter(({ id, state }) => id && state !== 'deleted')
  await Promise.all(there.map((webhook) => recover(parts, webhook, 'failed')))
}

/**
 * @param {Pick<Parts, 'client' | 'ledger'>} parts
 * @param {import('./webhooks.mjs').SoakWebhook} webhook
 * @param {'failed' | 'missed'} status
 */
async function recover({ client, ledger }, webhook, status) {
  // Forced: an endpoint that is back may still count as failing.
  const call = { body: { since: SINCE, status, force: true }, mode: /** @type {const} */ ('repeated') }
  const answer = await client.call('POST', `${PATH}/${webhook.id}/recover`, call)
  // 404: the webhook was deleted meanwhile; 409: another one runs, also one whose answer was lost.
  if (ledger.note(`recover ${status}`, answer, { good: [202], allowed: [404, 409] }))
    ledger.recoveries.push(answer.data.id)
}
