import { groupBy } from '../group-by.mjs'

/**
 * @typedef {{ id: string, path: string, isActive: boolean, deletedAtMs: number | undefined }} WebhookRow path: of its URL
 * @typedef {{ id: string, type: string, body: Buffer, deliveries: number }} EventRow
 * @typedef {{ status: number | null, error: string | null }} AttemptRow status: what the endpoint answered
 *
 * @typedef {object} DeliveryRow
 * @property {string} id
 * @property {WebhookRow} webhook
 * @property {string} eventId
 * @property {string} status
 * @property {number} attempts as the delivery counts them
 * @property {number} maxAttempts
 * @property {string | null} reason why it is closed without success
 * @property {boolean} isParked
 * @property {boolean} isTest
 * @property {boolean} isOriginal made by the publish of its event; the others by a resend or by a recovery of missed events
 * @property {string | null} resendOf the delivery that it repeats
 * @property {number} createdAtMs
 * @property {number | undefined} closedAtMs
 * @property {AttemptRow[]} log its attempts in order
 * @property {number[]} numbers of these attempts
 *
 * @typedef {object} RecoveryRow
 * @property {string} id
 * @property {WebhookRow} webhook
 * @property {'failed' | 'missed'} kind
 * @property {'queued' | 'running' | 'done' | 'cancelled'} state
 * @property {string | null} reason why it was cancelled
 * @property {number} sinceMs
 * @property {number} untilMs
 * @property {number} createdAtMs
 *
 * @typedef {{ webhooks: WebhookRow[], events: EventRow[], deliveries: DeliveryRow[], recoveries: RecoveryRow[] }} Rows
 */

/** In place of a webhook without a row: whatever is open for it is lost. */
const NO_WEBHOOK = { path: '', isActive: false, deletedAtMs: undefined }

/**
 * Reads everything that the database knows of events and deliveries.
 *
 * @param {import('knex').Knex} db
 * @returns {Promise<Rows>}
 */
export async function readRows(db) {
  const { TEST_EVENT_TYPE } = await import('../../../src/domain/event/event.ts')
  const [webhookRows, events, deliveryRows, attemptRows, recoveryRows] = await Promise.all([
    db('webhooks').select('id', 'url', 'is_active', 'deleted_at'),
    db('events').select('id', 'type', 'body', 'deliveries', 'created_at'),
    db('deliveries').select('*'),
    db('attempts')
      .orderBy(['delivery_id', 'number'])
      .select('delivery_id', 'number', 'response_code', 'error'),
    db('recoveries').select('*'),
  ])
  const webhooks = webhookRows.map(({ id, url, is_active, deleted_at }) => ({
    id,
    path: new URL(url).pathname,
    isActive: is_active === 1,
    deletedAtMs: deleted_at?.getTime(),
  }))
  const byId = new Map(webhooks.map((webhook) => [webhook.id, webhook]))
  const webhookOf = (/** @type {string} */ id) => byId.get(id) ?? { ...NO_WEBHOOK, id }
  const publishedAt = new Map(events.map(({ id, created_at }) => [id, created_at.getTime()]))
  const attemptsOf = groupBy(attemptRows, ({ delivery_id }) => delivery_id)
  const deliveries = deliveryRows.map((row) => {
    const attempts = attemptsOf.get(row.id) ?? []
    return {
      id: row.id,
      eventId: row.event_id,
      status: row.status,
      attempts: row.attempts,
      webhook: webhookOf(row.webhook_id),
      maxAttempts: row.max_attempts,
      reason: row.closed_reason,
      isParked: row.parked_at !== null,
      isTest: row.event_type === TEST_EVENT_TYPE,
      isOriginal: row.created_at.getTime() === publishedAt.get(row.event_id),
      resendOf: row.resend_of,
      createdAtMs: row.created_at.getTime(),
      closedAtMs: row.closed_at?.getTime(),
      log: attempts.map(({ response_code: status, error }) => ({ status, error })),
      numbers: attempts.map(({ number }) => number),
    }
  })
  const recoveries = recoveryRows.map((row) => ({
    id: row.id,
    webhook: webhookOf(row.webhook_id),
    kind: row.kind,
    state: row.state,
    reason: row.stopped_reason,
    createdAtMs: row.created_at.getTime(),
    sinceMs: row.since_at.getTime(),
    untilMs: row.until_at.getTime(),
  }))
  return { webhooks, events, deliveries, recoveries }
}

/** @param {DeliveryRow} delivery @returns {boolean} */
export const isOpen = ({ status }) => status === 'pending' || status === 'retrying'

/** @param {{ webhook: WebhookRow }} row @returns {boolean} whether its webhook is there and inactive */
export const waitsForActivation = ({ webhook: { isActive, deletedAtMs } }) =>
  !isActive && deletedAtMs === undefined

/** @param {DeliveryRow} delivery @returns {boolean} whether it waits until its webhook is active again */
const isHeld = (delivery) => isOpen(delivery) && delivery.isParked && waitsForActivation(delivery)

/**
 * How a delivery ended, in the words of the account.
 *
 * @param {DeliveryRow} delivery
 * @returns {'delivered' | 'failed for good' | 'held' | 'cancelled' | 'test without answer' | 'open'}
 */
export function endOf(delivery) {
  if (isOpen(delivery)) return isHeld(delivery) ? 'held' : 'open'
  if (delivery.status === 'success') return 'delivered'
  if (delivery.reason === 'webhook_deleted') return 'cancelled'
  return delivery.reason === 'test_unanswered' ? 'test without answer' : 'failed for good'
}
