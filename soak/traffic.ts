import { setTimeout as sleep } from 'node:timers/promises'
import { requestRecovery, requestResend, requestRetry, sendTest } from './asks.mjs'

/** Calls that may be open at once. While the api is away no more are begun, so that the traffic stays bounded. */
const MOST_OPEN = 40
/** After the traffic the open calls have so long to get a certain answer. */
const DRAIN_MS = 12_000
/** Webhooks at any time, but for those being replaced: every fifth endpoint fails, one in each of four ways. */
const WEBHOOKS = 20

/**
 * @typedef {object} Actors
 * @property {import('./publishes.mjs').Publisher} publisher
 * @property {import('./changes.mjs').WebhookOwner} owner
 * @property {import('./client.mjs').SoakClient} client
 * @property {import('./ledger.mjs').Ledger} ledger
 * @property {import('./webhooks.mjs').SoakWebhooks} webhooks
 * @property {import('./random.mjs').SeededRandom} random
 */

/** What is called, and how often of 100 calls. @param {Actors} actors */
const callsOf = ({ publisher, owner, ...parts }) => [
  { weight: 26, item: () => publisher.single() },
  { weight: 20, item: () => publisher.chosen() },
  { weight: 7, item: () => publisher.keyed() },
  { weight: 9, item: () => publisher.batch() },
  { weight: 9, item: () => publisher.chosenBatch() },
  { weight: 5, item: () => publisher.again() },
  { weight: 7, item: () => requestRetry(parts) },
  { weight: 3, item: () => requestRecovery(parts) },
  { weight: 3, item: () => requestResend(parts) },
  { weight: 5, item: () => owner.toggle() },
  { weight: 2, item: () => sendTest(parts) },
  { weight: 2, item: () => owner.regenerate() },
  { weight: 2, item: () => owner.replace() },
]

/** Creates the webhooks with which the traffic begins. @param {Actors} actors */
export async function createWebhooks({ owner }) {
  for (let n = 0; n < WEBHOOKS; n++) await owner.create()
}

/**
 * Calls the api at a steady rate until the time is over. Then it waits until every call is answered, for a while.
 *
 * @param {Actors} actors
 * @param {{ perSecond: number, untilMs: number }} options untilMs: epoch
 * @returns {Promise<{ calls: number, leftOut: number }>} leftOut: calls that were not begun because too many were open
 */
export async function makeTraffic(actors, { perSecond, untilMs }) {
  const { client, random } = actors
  const choices = callsOf(actors)
  /** @type {Set<Promise<void>>} */
  const open = new Set()
  let calls = 0
  let leftOut = 0
  /** @type {Error | undefined} */
  let fault
  const startedMs = Date.now()
  while (Date.now() < untilMs && !fault) {
    const dueMs = startedMs + ((calls + leftOut) * 1000) / perSecond
    if (dueMs > Date.now()) await sleep(dueMs - Date.now())
    const call = random.weighted(choices)
    if (open.size >= MOST_OPEN) {
      leftOut += 1
      continue
    }
    calls += 1
    const underWay = call()
      .catch((error) => void (fault = error))
      .finally(() => open.delete(underWay))
    open.add(underWay)
  }
  const timer = setTimeout(() => client.giveUp(), DRAIN_MS)
  await Promise.all(open)
  clearTimeout(timer)
  if (fault) throw fault
  return { calls, leftOut }
}
