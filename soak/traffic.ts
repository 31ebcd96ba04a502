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

/** What is called: each call as often as it comes in 100 calls. */
function listCalls({ publisher, owner, ...parts }: Actors): readonly (() => Promise<void>)[] {
  const calls: [number, () => Promise<void>][] = [
    [26, () => publisher.publish('once')],
    [20, () => publisher.publish('repeated')],
    [7, () => publisher.publish('keyed')],
    [9, () => publisher.publish('once', { isBatch: true })],
    [9, () => publisher.publish('repeated', { isBatch: true })],
    [5, () => publisher.again()],
    [7, () => requestRetry(parts)],
    [3, () => requestRecovery(parts)],
    [3, () => requestResend(parts)],
    [5, owner.toggle],
    [2, () => sendTest(parts)],
    [2, owner.regenerate],
    [2, owner.replace],
  ]
  return calls.flatMap(([times, call]) => Array.from({ length: times }, () => call))
}

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
  const choices = listCalls(actors)
  const open = new Set<Promise<void>>()
  const faults: Error[] = []
  let calls = 0
  let leftOut = 0
  const startedMs = Date.now()
  while (Date.now() < untilMs && faults.length === 0) {
    const dueMs = startedMs + ((calls + leftOut) * 1000) / perSecond
    if (dueMs > Date.now()) await sleep(dueMs - Date.now())
    const call = random.pick(choices)!
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
