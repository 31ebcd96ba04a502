import { requestRecovery, requestResend, requestRetry, sendTest } from './asks.ts'
import { startEndpoints } from './endpoints.ts'
import { Ledger, publish, publishAgain } from './ledger.ts'
import type { SoakOptions } from './options.ts'
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
  const shared = { client: stack.client, ledger: new Ledger(), record, webhooks: [], endpoints }
  const parts = { ...shared, random: random.fork('webhooks') }
  for (let n = 0; n < WEBHOOKS; n++) await createWebhook(parts)
  return parts
}

/** The calls to draw from. The number of each call is how often it comes in 100 calls. */
function listCalls({ owner, asker, publisher }: Record<'owner' | 'asker' | 'publisher', Parts>) {
  const calls: [number, () => Promise<void>][] = [
    [26, () => publish(publisher, 'once')],
    [20, () => publish(publisher, 'repeated')],
    [7, () => publish(publisher, 'keyed')],
    [9, () => publish(publisher, 'once', { isBatch: true })],
    [9, () => publish(publisher, 'repeated', { isBatch: true })],
    [5, () => publishAgain(publisher)],
    [7, () => requestRetry(asker)],
    [3, () => requestRecovery(asker)],
    [3, () => requestResend(asker)],
    [5, () => toggleWebhook(owner)],
    [2, () => sendTest(asker)],
    [2, () => regenerateSecret(owner)],
    [2, () => replaceWebhook(owner)],
  ]
  return calls.flatMap(([times, call]) => Array.from({ length: times }, () => call))
}

export type Traffic = Awaited<ReturnType<typeof keepRate>>

/** Calls the api at a steady rate until the time is over. Then it waits until every call is answered; DRAIN_MS later none is repeated. */
export async function makeTraffic(
  owner: Parts,
  random: SeededRandom,
  { perSecond, trafficMs }: SoakOptions,
): Promise<Traffic> {
  const asker = { ...owner, random: random.fork('calls') }
  const publisher = { ...owner, random: random.fork('events') }
  const choices = listCalls({ owner, asker, publisher })
  const rate = { perSecond, mostOpen: MOST_OPEN, isOver: AbortSignal.timeout(trafficMs) }
  const timer = setTimeout(() => owner.client.giveUp(), trafficMs + DRAIN_MS)
  const traffic = await keepRate(() => asker.random.pick(choices)!(), rate)
  clearTimeout(timer)
  return traffic
}
