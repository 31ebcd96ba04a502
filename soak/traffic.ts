import { setTimeout as sleep } from 'node:timers/promises'
import { requestRecovery, requestResend, requestRetry, sendTest } from './asks.ts'
import { WebhookOwner, type Parts } from './changes.ts'
import { SoakClient } from './client.ts'
import { Endpoints } from './endpoints.ts'
import { Ledger } from './ledger.ts'
import { Publisher } from './publishes.ts'
import type { SeededRandom } from './random.ts'
import { ReceiverRecord } from './record.ts'
import type { SoakStack } from './stack.ts'

/** Calls that may be open at once. While the api is away no more are begun, so that the traffic stays bounded. */
const MOST_OPEN = 40
/** After the traffic the open calls have so long to get a certain answer. */
const DRAIN_MS = 12_000
/** Webhooks at any time, but for those being replaced: every fifth endpoint fails, one in each of four ways. */
const WEBHOOKS = 20

export type Actors = Parts & { readonly publisher: Publisher; readonly owner: WebhookOwner }

/** Makes everybody who calls the api or is called by it, and the webhooks with which the traffic begins. */
export async function createActors(stack: SoakStack, random: SeededRandom): Promise<Actors> {
  const ledger = new Ledger()
  const client = new SoakClient(stack.api, ledger)
  const record = new ReceiverRecord()
  const endpoints = new Endpoints(stack.tls, record, random.fork('endpoints'))
  await endpoints.start()
  const publisher = new Publisher({ client, ledger, random: random.fork('events') })
  const parts = { client, ledger, record, webhooks: [], endpoints }
  const owner = new WebhookOwner({ ...parts, random: random.fork('webhooks') })
  for (let n = 0; n < WEBHOOKS; n++) await owner.create()
  return { ...parts, publisher, owner, random: random.fork('calls') }
}

/** What is called, and how often of 100 calls. */
const callsOf = ({ publisher, owner, ...parts }: Actors) => [
  { weight: 26, item: () => publisher.publish('once') },
  { weight: 20, item: () => publisher.publish('repeated') },
  { weight: 7, item: () => publisher.publish('keyed') },
  { weight: 9, item: () => publisher.publish('once', { isBatch: true }) },
  { weight: 9, item: () => publisher.publish('repeated', { isBatch: true }) },
  { weight: 5, item: () => publisher.again() },
  { weight: 7, item: () => requestRetry(parts) },
  { weight: 3, item: () => requestRecovery(parts) },
  { weight: 3, item: () => requestResend(parts) },
  { weight: 5, item: owner.toggle },
  { weight: 2, item: () => sendTest(parts) },
  { weight: 2, item: owner.regenerate },
  { weight: 2, item: owner.replace },
]

/** `leftOut`: calls that were not begun because too many were open. */
export type Traffic = { readonly calls: number; readonly leftOut: number }

/**
 * Calls the api at a steady rate until the time is over. Then it waits until every call is answered, for a while.
 *
 * @param options untilMs: epoch
 */
export async function makeTraffic(
  actors: Actors,
  { perSecond, untilMs }: { perSecond: number; untilMs: number },
): Promise<Traffic> {
  const { client, random } = actors
  const choices = callsOf(actors)
  const open = new Set<Promise<void>>()
  const faults: Error[] = []
  let calls = 0
  let leftOut = 0
  const startedMs = Date.now()
  while (Date.now() < untilMs && faults.length === 0) {
    const dueMs = startedMs + ((calls + leftOut) * 1000) / perSecond
    if (dueMs > Date.now()) await sleep(dueMs - Date.now())
    const call = random.weighted(choices)
    if (open.size >= MOST_OPEN) {
      leftOut += 1
      continue
    }
    calls += 1
    const underWay = call()
      .catch((error: unknown) => void faults.push(error as Error))
      .finally(() => open.delete(underWay))
    open.add(underWay)
  }
  const timer = setTimeout(() => client.giveUp(), DRAIN_MS)
  await Promise.all(open)
  clearTimeout(timer)
  if (faults[0]) throw faults[0]
  return { calls, leftOut }
}
