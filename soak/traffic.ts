import { TEST_EVENT_TYPE } from '../src/domain/event/event.ts'
import type { RecoveryKind } from '../src/domain/recovery/recovery.ts'
import { startEndpoints } from './endpoints.ts'
import { ask, Ledger, publish, publishAgain } from './ledger.ts'
import type { SeededRandom } from './random.ts'
import { keepRate } from './rate.ts'
import type { SoakStack } from './stack.ts'
import {
  createWebhook,
  PATH,
  pickWebhook,
  regenerateSecret,
  replaceWebhook,
  toggleWebhook,
  type Parts,
  type SoakWebhook,
} from './webhooks.ts'

/** Calls that may be open at once. While the api is away no more are begun, so that the traffic stays bounded. */
const MOST_OPEN = 40
/** How long after the traffic the open calls are repeated to get a certain answer. */
const DRAIN_MS = 12_000
/** Webhooks at any time, but for those being replaced: every fifth endpoint fails, one in each of four ways. */
const WEBHOOKS = 20

/** Makes what the callers of the api share, and the webhooks with which the traffic begins. */
export async function createParts(stack: SoakStack, random: SeededRandom): Promise<Parts> {
  const { record, ...endpoints } = await startEndpoints(stack.tls, random.fork('endpoints'))
  const parts = { client: stack.client, ledger: new Ledger(), record, webhooks: [], endpoints, random }
  for (let n = 0; n < WEBHOOKS; n++) await createWebhook({ ...parts, random: random.fork(`webhook ${n}`) })
  return parts
}

/** Share of the retries and recoveries that are for webhooks whose endpoints fail: others have little to send again. */
const AT_FAILING = 0.8

function pickFailing(parts: Parts): SoakWebhook | undefined {
  const isFailing = parts.random.isHit(AT_FAILING)
  return pickWebhook(parts, ({ kind }) => (kind === 'good') !== isFailing)
}

/** Asks for a test event. */
async function sendTest(parts: Parts): Promise<void> {
  const webhook = pickWebhook(parts)
  if (!webhook) return
  // 404: the webhook was deleted meanwhile.
  const call = { good: [200], allowed: [404] }
  const { isDone, data } = await ask(parts, 'test', `${PATH}/${webhook.id}/test`, call)
  if (!isDone) return
  const { delivery_id: deliveryId, success: isSuccess } = data as { delivery_id: string; success: boolean }
  parts.ledger.tests.push({ deliveryId, isSuccess })
}

/** Asks for a retry of one of a webhook's latest deliveries that have not succeeded. */
const requestRetry = (parts: Parts): Promise<void> =>
  again(parts, 'retry', pickFailing(parts), parts.random.isHit(0.5) ? 'failed' : 'retrying')

/** Asks to send one of a webhook's latest deliveries that have ended once more. */
const requestResend = (parts: Parts): Promise<void> =>
  again(parts, 'resend', pickWebhook(parts), 'success,failed')

async function again(
  parts: Parts,
  what: 'retry' | 'resend',
  webhook: SoakWebhook | undefined,
  states: string,
): Promise<void> {
  if (!webhook) return
  const path = `${PATH}/${webhook.id}/deliveries`
  const { status, data } = await parts.client.ask('GET', `${path}?status=${states}&limit=20`)
  const latest = status === 200 ? (data as { id: string; event_type: string }[]) : []
  // Test events are not sent again.
  const chosen = latest.filter(({ event_type: type }) => what === 'retry' || type !== TEST_EVENT_TYPE)
  const delivery = parts.random.pick(chosen)
  if (!delivery) return
  // 400: a retry has opened it meanwhile, or it succeeded; 404: the webhook was deleted meanwhile.
  const call = { mode: 'keyed', good: [what === 'retry' ? 200 : 202], allowed: [400, 404] } as const
  const answer = await ask(parts, what, `${path}/${delivery.id}/${what}`, call)
  if (answer.isDone && what === 'resend')
    parts.ledger.resends.push({ id: (answer.data as { id: string }).id, of: delivery.id })
}

/** Asks to recover what failed at a webhook, or what its pauses missed. */
const requestRecovery = (parts: Parts): Promise<void> =>
  recover(parts, pickFailing(parts), parts.random.isHit(0.5) ? 'failed' : 'missed')

/** Recovers what failed at each webhook that may be there. */
export async function recoverAll(parts: Parts): Promise<void> {
  const there = parts.webhooks.filter(({ id, state }) => id && state !== 'deleted')
  await Promise.all(there.map((webhook) => recover(parts, webhook, 'failed')))
}

async function recover(parts: Parts, webhook: SoakWebhook | undefined, status: RecoveryKind): Promise<void> {
  if (!webhook) return
  // From before all events on, and forced: an endpoint that works again may still count as failing.
  const body = { since: '2020-01-01T00:00:00Z', status, force: true }
  // 404: the webhook was deleted meanwhile; 409: another one runs, also one whose answer was lost.
  const call = { body, mode: 'repeated', good: [202], allowed: [404, 409] } as const
  const { isDone, data } = await ask(parts, `recover ${status}`, `${PATH}/${webhook.id}/recover`, call)
  if (isDone) parts.ledger.recoveries.push((data as { id: string }).id)
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
export async function makeTraffic(parts: Parts, perSecond: number, trafficMs: number) {
  /** Each call draws from a stream of its own, so that the seed decides it whatever other calls meet. */
  function call(n: number): Promise<void> {
    const random = parts.random.fork(`call ${n}`)
    return random.pick(CHOICES)!({ ...parts, random })
  }
  const timer = setTimeout(() => (parts.client.hasToGiveUp = true), trafficMs + DRAIN_MS)
  const traffic = await keepRate(call, perSecond, MOST_OPEN, AbortSignal.timeout(trafficMs))
  clearTimeout(timer)
  return traffic
}
