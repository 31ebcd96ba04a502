import { groupBy } from '../group-by.mjs'
import { deliveryKey, isGood } from '../record.mjs'
import { killThatLost } from '../kills.mjs'
import { endOf } from './rows.mjs'

/**
 * @typedef {import('./account.mjs').Account} Account
 * @typedef {import('./account.mjs').Known} Known
 * @typedef {import('./rows.mjs').DeliveryRow} DeliveryRow
 */

/**
 * Checks how each delivery ended, and compares it with what the receivers answered.
 *
 * @param {Account} account
 * @param {Known} known
 * @returns {Record<string, number>} deliveries by their end
 */
export function compareDeliveries(account, { rows, record, ledger, kills }) {
  /** @type {Record<string, number>} */
  const ends = {}
  const good = groupBy(record.seen.filter(isGood), deliveryKey)
  const keyOf = (/** @type {DeliveryRow} */ { webhook: { path }, eventId }) =>
    deliveryKey({ path, id: eventId })
  const delivered = groupBy(
    rows.deliveries.filter(({ status }) => status === 'success'),
    keyOf,
  )
  for (const delivery of rows.deliveries) {
    const end = endOf(delivery)
    ends[end] = (ends[end] ?? 0) + 1
    checkRow(account, delivery, end)
    const answered = good.get(keyOf(delivery))
    if (end === 'delivered' && !answered)
      account.disagree(
        `delivery ${delivery.id} is a success, and no request of it was answered 2xx`,
        delivery,
      )
    // The event may have another delivery for the webhook, by a resend. What that one had is not this one's.
    const isUnrecorded = (answered?.length ?? 0) > (delivered.get(keyOf(delivery))?.length ?? 0)
    if (end === 'failed for good' && answered && isUnrecorded) {
      const what = `delivery ${delivery.id} failed for good although a request of it was answered 2xx`
      if (answered.every(({ atMs }) => killThatLost(kills, atMs))) account.explain(what)
      else account.disagree(what, delivery)
    }
  }
  const byId = new Map(rows.deliveries.map((delivery) => [delivery.id, delivery]))
  for (const { deliveryId, isSuccess } of ledger.tests) {
    const delivery = byId.get(deliveryId)
    // One that failed may have succeeded since: manual retries take test events too.
    if (!delivery || (isSuccess && delivery.status !== 'success'))
      account.disagree(`test ${deliveryId} was answered with success ${isSuccess}`, delivery ?? 'no row')
  }
  return ends
}

/** @param {Account} account @param {DeliveryRow} delivery @param {ReturnType<typeof endOf>} end */
function checkRow(account, delivery, end) {
  const { id, attempts, maxAttempts, numbers, webhook, isTest } = delivery
  if (end === 'open') account.lose(`delivery ${id} is still open`, delivery)
  if (attempts > maxAttempts) account.disagree(`delivery ${id} has more attempts than it may`, delivery)
  if (numbers.length !== attempts || numbers.some((number, index) => number !== index + 1))
    account.disagree(`delivery ${id} has other attempts in its log than it counts`, delivery)
  if (end === 'failed for good' && (attempts === 0 || attempts !== maxAttempts))
    account.lose(`delivery ${id} failed with attempts left`, delivery)
  if (end === 'cancelled' && webhook.deletedAtMs === undefined)
    account.lose(`delivery ${id} was cancelled, and its webhook is not deleted`, delivery)
  if (end === 'test without answer' && !isTest)
    account.lose(`delivery ${id} ended as a test event and is none`, delivery)
}

/**
 * The counters of each webhook equal its rows.
 *
 * @param {Account} account
 * @param {Known} known
 * @param {import('knex').Knex} db
 */
export async function compareCounters(account, { rows }, db) {
  const states = /** @type {const} */ (['pending', 'retrying', 'success', 'failed'])
  const sums = await db('webhook_counters')
    .groupBy('webhook_id')
    .select('webhook_id')
    .sum(Object.fromEntries(states.map((state) => [state, state])))
  const sumOf = new Map(sums.map((row) => [row.webhook_id, row]))
  const rowsOf = groupBy(rows.deliveries, ({ webhook }) => webhook.id)
  for (const { id } of rows.webhooks) {
    for (const state of states) {
      const counted = Number(sumOf.get(id)?.[state] ?? 0)
      const there = (rowsOf.get(id) ?? []).filter(({ status }) => status === state).length
      if (counted !== there)
        account.disagree(`webhook ${id} counts ${counted} ${state} deliveries and has ${there}`)
    }
  }
}
