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
