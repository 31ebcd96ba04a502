import { groupBy } from '../group-by.mjs'
import { ATTEMPT_MS, killThatLost } from '../kills.mjs'
import { deliveryKey, isGood } from '../record.mjs'
import { endOf } from './rows.mjs'

/**
 * @typedef {import('./account.mjs').Account} Account
 * @typedef {import('./account.mjs').Known} Known
 * @typedef {import('../record.mjs').Seen} Seen
 */

/** A request that was begun before a change was answered may arrive so much later on a busy machine. */
const ON_THE_WAY_MS = 5_000
/** A refusing endpoint cuts its connections: an answer of so shortly before or after may not have got through. */
const CUT_MS = 1_000

/**
 * Compares each request that the receivers got with the database and with what its owner knew of the webhook then.
 *
 * @param {Account} account
 * @param {Known} known
 */
export function compareRequests(account, { rows, record, webhooks }) {
  const deliveries = new Set(
    rows.deliveries.map(({ webhook: { path }, eventId }) => deliveryKey({ path, id: eventId })),
  )
  const webhookAt = new Map(webhooks.map((webhook) => [webhook.path, webhook]))
  for (const seen of record.seen) {
    const what = `the request at ${new Date(seen.atMs).toISOString()} of ${deliveryKey(seen)}`
    if (!deliveries.has(deliveryKey(seen))) account.disagree(`${what} belongs to no delivery`, seen)
    const webhook = webhookAt.get(seen.path)
    if (seen.secret < 0 && !webhook?.hasUnknownSecret)
      account.disagree(`${what} has a signature that no secret verifies`, seen)
    if (seen.atMs > record.retiredAtMs(seen) + ON_THE_WAY_MS)
      account.disagree(`${what} was signed with a former secret`, seen)
    const state = webhook?.stateDuring(seen.atMs - ON_THE_WAY_MS, seen.atMs)
    const isTest = seen.id.startsWith('evt_test_')
    if (state === 'deleted' || (state === 'inactive' && !isTest))
      account.disagree(`${what} came although its webhook was ${state}`, seen)
  }
}

/**
 * Compares the requests of each event at each webhook with the attempts. It may have several deliveries there, by resends.
 * More requests than attempts, and more 2xx than the log has, are explained only by a kill at the time of such a request. A
 * request over a kept connection that the endpoint cuts is sent once more in the same attempt (docs/decisions.md, A dead kept
 * connection). The outcome of a request that is on the wire when its webhook is deleted is dropped. A request that the endpoint
 * answers after the time-out of its attempt is answered twice, as every receiver must expect.
 *
 * @param {Account} account
 * @param {Known} known
 * @returns {number} requests that were answered 2xx although one before was
 */
export function compareAttempts(account, { rows, record, webhooks, kills, spells }) {
  const refusing = new Set(webhooks.filter(({ kind }) => kind === 'refuses').map(({ path }) => path))
  const seenOf = groupBy(record.seen, deliveryKey)
  const same = groupBy(rows.deliveries, ({ webhook: { path }, eventId }) =>
    deliveryKey({ path, id: eventId }),
  )
  let duplicates = 0
  for (const [key, deliveries] of same) {
    const seen = (seenOf.get(key) ?? []).sort((a, b) => a.atMs - b.atMs)
    const log = deliveries.flatMap((delivery) => delivery.log)
    checkAnswers(account, { key, deliveries, log, seen })
    const good = seen.filter(isGood)
    const logged = Math.max(1, log.filter(isGood).length + answeredLate(seen, log))
    const extra = seen.length - sentAgain(seen, log) - log.length
    if (good.length <= logged && extra <= 0) continue
    duplicates += Math.max(0, good.length - logged)
    const times = seen.map(({ atMs, status }) => `${new Date(atMs).toISOString()} ${status ?? 'no answer'}`)
    const ids = deliveries.map(({ id }) => id).join(', ')
    const what = `${key} (${ids}): ${good.length} times 2xx, ${log.length} attempts, requests ${times.join(', ')}`
    const cut = (/** @type {Seen} */ { atMs, path }) =>
      refusing.has(path) &&
      spells.some((spell) => atMs > spell.atMs - CUT_MS && atMs < spell.cutUntilMs + CUT_MS)
        ? 'the endpoint cut it'
        : undefined
    const kill = (/** @type {Seen} */ { atMs }) => describe(killThatLost(kills, atMs))
    const deletion = (/** @type {Seen} */ one) =>
      deliveries.some((delivery) => isDroppedByDeletion(delivery, one))
        ? 'its webhook was deleted meanwhile'
        : undefined
    const causes = seen.flatMap((one) => kill(one) ?? cut(one) ?? deletion(one) ?? [])
    // A kill explains what the log does not have. A 2xx that the log has as a failure was not lost by a kill.
    const before = good.slice(0, -1)
    const repeated = Math.max(0, good.length - logged - before.filter(cut).length)
    const isExplained =
      repeated <= Math.max(0, extra) && before.filter((one) => !cut(one) && kill(one)).length >= repeated
    if (isExplained && causes.length >= extra) account.explain(`${what}; ${[...new Set(causes)].join(', ')}`)
    else account.disagree(what, deliveries)
  }
  return duplicates
}

/**
 * How many requests were sent a second time in the same attempt. One that is cut over a new connection ends its attempt as
 * a `connection_reset`; so the others that were cut came over kept connections.
 *
 * @param {readonly Seen[]} seen
 * @param {readonly import('./rows.mjs').AttemptRow[]} log
 */
const sentAgain = (seen, log) =>
  Math.max(
    0,
    seen.filter(({ isCut }) => isCut).length - log.filter(({ error }) => error === 'connection_reset').length,
  )

/**
 * How many requests were answered when their attempt had timed out: on a busy machine the receiver itself may be that late.
 *
 * @param {readonly Seen[]} seen
 * @param {readonly import('./rows.mjs').AttemptRow[]} log
 */
const answeredLate = (seen, log) =>
  Math.max(
    0,
    log.filter(({ error }) => error === 'response_timeout').length -
      seen.filter(({ status }) => status === undefined || status === null).length,
  )

/**
 * Whether the request was on the wire when its delivery was cancelled.
 *
 * @param {import('./rows.mjs').DeliveryRow} delivery
 * @param {Seen} seen
 */
function isDroppedByDeletion(delivery, { atMs }) {
  const { deletedAtMs } = delivery.webhook
  if (endOf(delivery) !== 'cancelled' || deletedAtMs === undefined) return false
  return atMs > deletedAtMs - ATTEMPT_MS && atMs < deletedAtMs + ON_THE_WAY_MS
}

/**
 * Every answer in the log was given by the receiver.
 *
 * @param {Account} account
 * @param {{ key: string, deliveries: readonly import('./rows.mjs').DeliveryRow[],
 *   log: readonly import('./rows.mjs').AttemptRow[], seen: readonly Seen[] }} event at one webhook
 */
function checkAnswers(account, { key, deliveries, log, seen }) {
  const given = groupBy(seen, ({ status }) => status)
  for (const [status, attempts] of groupBy(log, (attempt) => attempt.status)) {
    if (status !== null && attempts.length > (given.get(status)?.length ?? 0))
      account.disagree(`${key} has more answers ${status} in its log than were given`, deliveries)
  }
}

/** @param {import('../kills.mjs').Kill | undefined} kill */
const describe = (kill) => kill && `${kill.part} killed at ${new Date(kill.atMs).toISOString()}`
