import { TEST_EVENT_TYPE } from '../src/domain/event/event.ts'
import type { RecoveryKind } from '../src/domain/recovery/recovery.ts'
import { ask } from './ledger.ts'
import { PATH, pickWebhook, type Parts, type SoakWebhook } from './webhooks.ts'

/** Share of the retries that are for endpoints that fail: others have little to retry. */
const RETRIES_AT_FAILING = 0.9
/** Share of the recoveries that are for webhooks whose endpoints fail, also while they fail. */
const RECOVERIES_AT_FAILING = 0.7

/** Picks a webhook whose endpoint fails in that share of the calls, and otherwise one whose endpoint is good. */
function pickFailing(parts: Parts, share: number): SoakWebhook | undefined {
  const isFailing = parts.random.isHit(share)
  return pickWebhook(parts, ({ kind }) => (kind === 'good') !== isFailing)
}

/** Asks for a test event. */
export async function sendTest(parts: Parts): Promise<void> {
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
export const requestRetry = (parts: Parts): Promise<void> =>
  again(
    parts,
    'retry',
    pickFailing(parts, RETRIES_AT_FAILING),
    parts.random.isHit(0.5) ? 'failed' : 'retrying',
  )

/** Asks to send one of a webhook's latest deliveries that have ended once more. */
export const requestResend = (parts: Parts): Promise<void> =>
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
export async function requestRecovery(parts: Parts): Promise<void> {
  const webhook = pickFailing(parts, RECOVERIES_AT_FAILING)
  if (webhook) await recover(parts, webhook, parts.random.isHit(0.5) ? 'failed' : 'missed')
}

/** Recovers what failed at each webhook that may be there. */
export async function recoverAll(parts: Parts): Promise<void> {
  const there = parts.webhooks.filter(({ id, state }) => id && state !== 'deleted')
  await Promise.all(there.map((webhook) => recover(parts, webhook, 'failed')))
}

/** Before all events: recoveries bring everything that failed or was missed. */
const SINCE = '2020-01-01T00:00:00Z'

async function recover(parts: Parts, { id }: SoakWebhook, status: RecoveryKind): Promise<void> {
  // Forced: an endpoint that works again may still count as failing.
  const body = { since: SINCE, status, force: true }
  // 404: the webhook was deleted meanwhile; 409: another one runs, also one whose answer was lost.
  const call = { body, mode: 'repeated', good: [202], allowed: [404, 409] } as const
  const { isDone, data } = await ask(parts, `recover ${status}`, `${PATH}/${id}/recover`, call)
  if (isDone) parts.ledger.recoveries.push((data as { id: string }).id)
}
