import { isTestEventId } from '../../src/domain/ids.ts'
import { deliveryKey, isGood, type Seen } from '../endpoints.ts'
import { ATTEMPT_MS, type Kill } from '../stack.ts'
import type { Finding, Known } from './account.ts'
import { endOf, keyOf, type AttemptRow, type DeliveryRow } from './rows.ts'

/** On a busy machine a request may still arrive this long after the answer to a change, if it was begun before. */
const ON_THE_WAY_MS = 5_000
/** A refusing endpoint cuts its connections. Answers within this time of a cut may be lost. */
const CUT_MS = 1_000

/** How long after a kill an endpoint may read a request that was sent before it. */
const READ_LATE_MS = 1_000
/** How long the worker may still fail to reach the database after that is ready again. */
const RECONNECT_MS = 2_000

/**
 * Returns the kill that may have lost the outcome of a request before it was recorded. Only the kill of a worker or of the database
 * can lose one.
 */
const killThatLost = (kills: readonly Kill[], { atMs }: Seen): Kill | undefined =>
  kills.find((kill) => {
    if (atMs < kill.atMs - ATTEMPT_MS) return false
    if (kill.part === 'worker') return atMs <= kill.atMs + READ_LATE_MS
    return kill.part === 'database' && atMs <= kill.readyAtMs + RECONNECT_MS
  })

const isoTime = (ms: number): string => new Date(ms).toISOString()

/** Compares each request that the receivers got with the database and with what its owner knew of the webhook then. */
export function* checkRequests({ rows, record, webhooks }: Known): Generator<Finding> {
  const deliveries = new Set(rows.deliveries.map(keyOf))
  const webhookAt = new Map(webhooks.map((webhook) => [webhook.path, webhook]))
  for (const seen of record.seen) {
    const what = `the request at ${isoTime(seen.atMs)} of ${deliveryKey(seen)}`
    if (!deliveries.has(deliveryKey(seen))) yield ['disagreements', `${what} belongs to no delivery`, seen]
    const webhook = webhookAt.get(seen.path)
    if (seen.secret < 0 && !webhook?.hasUnknownSecret)
      yield ['disagreements', `${what} has a signature that no secret verifies`, seen]
    if (seen.atMs > record.retiredAtMs(seen) + ON_THE_WAY_MS)
      yield ['disagreements', `${what} was signed with a former secret`, seen]
    const state = webhook?.stateDuring(seen.atMs - ON_THE_WAY_MS, seen.atMs)
    if (state === 'deleted' || (state === 'inactive' && !isTestEventId(seen.id)))
      yield ['disagreements', `${what} came although its webhook was ${state}`, seen]
  }
}

/**
 * Compares the requests of each event at each webhook with the attempts, and with how its deliveries ended: a resend makes another one.
 * More requests than attempts that sent one, and more 2xx than the log has, are explained only by a kill at the time of such a request. A
 * request over a kept connection that the endpoint cuts is sent once more in the same attempt (docs/decisions.md, A dead kept
 * connection). The outcome of a request that is on the wire when its webhook is deleted is dropped. A request that the endpoint
 * answers after the time-out of its attempt is answered twice, as every receiver must expect.
 */
export function* checkAttempts({ rows, record, webhooks, kills, endpoints }: Known): Generator<Finding> {
  const refusing = new Set(webhooks.filter(({ kind }) => kind === 'refuses').map(({ path }) => path))
  const isCut = ({ path, atMs }: Seen) =>
    refusing.has(path) &&
    endpoints.spells.some((spell) => atMs > spell.atMs - CUT_MS && atMs < spell.cutUntilMs + CUT_MS)
  const seenOf = Map.groupBy(record.seen, deliveryKey)
  for (const [key, deliveries] of Map.groupBy(rows.deliveries, keyOf)) {
    const seen = (seenOf.get(key) ?? []).sort((a, b) => a.atMs - b.atMs)
    const log = deliveries.flatMap((delivery) => delivery.log)
    for (const [status, answers] of Map.groupBy(log, (attempt) => attempt.status))
      if (status !== null && answers.length > seen.filter((one) => one.status === status).length)
        yield ['disagreements', `${key} has more answers ${status} in its log than were given`, deliveries]
    yield* checkEnds(deliveries, seen, kills)
    const good = seen.filter(isGood)
    const logged = Math.max(1, log.filter(isGood).length + answeredLate(log, seen))
    // A cut request over a new connection ends its attempt as `connection_reset`; so the other cut requests came over kept ones.
    const cut = seen.filter((one) => one.isCut).length
    const sentAgain = Math.max(0, cut - errors(log, 'connection_reset'))
    const extra = seen.length - sentAgain - log.filter(hasSent).length
    if (good.length <= logged && extra <= 0) continue
    const times = seen.map(({ atMs, status }) => `${isoTime(atMs)} ${status ?? 'no answer'}`)
    const ids = deliveries.map(({ id }) => id).join(', ')
    const what = `${key} (${ids}): ${good.length} times 2xx, ${log.length} attempts, requests ${times.join(', ')}`
    for (let n = logged; n < good.length; n++) yield ['twice', what]
    const causes = seen.flatMap((one) => {
      const kill = killThatLost(kills, one)
      if (kill) return `${kill.part} killed at ${isoTime(kill.atMs)}`
      if (isCut(one)) return 'the endpoint cut it'
      const isDropped = deliveries.some((delivery) => isDroppedByDeletion(delivery, one))
      return isDropped ? 'its webhook was deleted meanwhile' : []
    })
    // A kill explains what the log does not have. A 2xx that the log has as a failure was not lost by a kill.
    const before = good.slice(0, -1)
    const repeated = Math.max(0, good.length - logged - before.filter(isCut).length)
    const isExplained =
      repeated <= Math.max(0, extra) &&
      before.filter((one) => !isCut(one) && killThatLost(kills, one)).length >= repeated &&
      causes.length >= extra
    if (isExplained) yield ['explained', `${what}; ${[...new Set(causes)].join(', ')}`]
    else yield ['disagreements', what, deliveries]
  }
}

/** Compares how deliveries ended with the answers to all requests of their event at their webhook. */
function* checkEnds(deliveries: DeliveryRow[], seen: Seen[], kills: readonly Kill[]): Generator<Finding> {
  const answered = seen.filter(isGood)
  const ended = Map.groupBy(deliveries, endOf)
  const delivered = ended.get('delivered') ?? []
  if (answered.length === 0)
    for (const row of delivered)
      yield ['disagreements', `delivery ${row.id} is a success, and no request of it was answered 2xx`, row]
  for (const delivery of ended.get('failed for good') ?? []) {
    // The event may have another delivery for the webhook, by a resend. Its answers do not count for this one.
    if (answered.length <= delivered.length + answeredLate(delivery.log, seen)) continue
    const what = `delivery ${delivery.id} failed for good although a request of it was answered 2xx`
    if (answered.every((one) => killThatLost(kills, one))) yield ['explained', what]
    else yield ['disagreements', what, delivery]
  }
}

/** How many requests were answered after their attempt had timed out: on a busy machine the receiver may be that late. */
const answeredLate = (log: readonly AttemptRow[], seen: readonly Seen[]): number =>
  Math.max(0, errors(log, 'response_timeout') - seen.filter(({ status }) => status === undefined).length)

/** The errors of attempts that sent nothing to the endpoint. */
const UNSENT = new Set(['dns_error', 'blocked_address', 'connect_error', 'connect_timeout', 'tls_error'])
const hasSent = ({ error }: AttemptRow): boolean => error === null || !UNSENT.has(error)

const errors = (log: readonly AttemptRow[], code: string): number =>
  log.filter(({ error }) => error === code).length

/** Whether the request was on the wire when its delivery was cancelled. */
function isDroppedByDeletion(delivery: DeliveryRow, { atMs }: Seen): boolean {
  const { deletedAt } = delivery.webhook
  if (endOf(delivery) !== 'cancelled' || deletedAt === null) return false
  const afterMs = atMs - deletedAt.getTime()
  return afterMs > -ATTEMPT_MS && afterMs < ON_THE_WAY_MS
}
