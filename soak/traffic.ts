import { requestRecovery, requestResend, requestRetry, sendTest } from './asks.ts'
import { startEndpoints } from './endpoints.ts'
import { Ledger, publish, publishAgain } from './ledger.ts'
import type { SeededRandom } from './random.ts'
import { keepRate } from './rate.ts'
import { ReceiverRecord } from './record.ts'
import type { SoakStack } from './stack.ts'
import { createWebhook, regenerateSecret, replaceWebhook, toggleWebhook, type Parts } from './webhooks.ts'

/** Calls that may be open at once. While the api is away no more are begun, so that the traffic stays bounded. */
const MOST_OPEN = 40
/** How long after the traffic the open calls are repeated to get a certain answer. */
const DRAIN_MS = 12_000
/** Webhooks at any time, but for those being replaced: every fifth endpoint fails, one in each of four ways. */
const WEBHOOKS = 20

/** Makes what the callers of the api share, and the webhooks with which the traffic begins. */
export async function createParts(stack: SoakStack, random: SeededRandom): Promise<Parts> {
  const record = new ReceiverRecord()
  const endpoints = await startEndpoints(stack.tls, record, random.fork('endpoints'))
  const parts = { client: stack.client, ledger: new Ledger(), record, webhooks: [], endpoints, random }
  for (let n = 0; n < WEBHOOKS; n++) await createWebhook({ ...parts, random: random.fork(`webhook ${n}`) })
  return parts
}

/** The calls to draw from. The number of each call is how often it comes in 100 calls. */
const CALLS: [number, (parts: Parts) => Promise<void>][] = [
  [26, (parts) => publish(parts, 'once')],
  [20, (parts) => publish(parts, 'repeated')],
  [7, (parts) => publish(parts, 'keyed')],
  [9, (parts) => publish(parts, 'once', { isBatch: true })],
  [9, (parts) => publish(parts, 'repeated', { isBatch: true })],
  [5, publishAgain],
  [7, requestRetry],
  [3, requestRecovery],
  [3, requestResend],
  [5, toggleWebhook],
  [2, sendTest],
  [2, regenerateSecret],
  [2, replaceWebhook],
]
const CHOICES = CALLS.flatMap(([times, call]) => Array.from({ length: times }, () => call))

/** Calls the api at a steady rate until the time is over. Then it waits until every call is answered; DRAIN_MS later none is repeated. */
export async function makeTraffic(
  parts: Parts,
  { perSecond, trafficMs }: { readonly perSecond: number; readonly trafficMs: number },
) {
  const rate = { perSecond, mostOpen: MOST_OPEN, isOver: AbortSignal.timeout(trafficMs) }
  const timer = setTimeout(() => parts.client.giveUp(), trafficMs + DRAIN_MS)
  const traffic = await keepRate((n) => {
    // Each call draws from a stream of its own, so that the seed decides it whatever other calls meet.
    const random = parts.random.fork(`call ${n}`)
    return random.pick(CHOICES)!({ ...parts, random })
  }, rate)
  clearTimeout(timer)
  return traffic
}
