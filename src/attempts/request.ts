import type { GateRows } from '../db/delivery/gate-rows.ts'
import type { KeyRing } from '../domain/sealing/sealing.ts'
import { signatureHeaders } from '../domain/webhook/signing.ts'
import { openSecret, webhookHeaders } from '../domain/webhook/webhook.ts'
import type { SignedRequest } from '../sending/ready-connection.ts'

type Sending = {
  /** The time that is signed. */
  readonly now: Date
  /** The place of the request in a trace; null outside one. */
  readonly traceparent: string | null
}

/**
 * Makes the request of an attempt. It has the event's bytes as they were stored and the webhook's own headers. It also
 * has the signature headers of Standard Webhooks, made with the current secret, and `traceparent` where the webhook asks for it.
 *
 * @throws SealError when the key ring cannot read the webhook's secret or headers; Error when the event is gone
 */
export function createRequest(
  keys: KeyRing,
  { tenant, webhook, delivery, body }: GateRows,
  { now, traceparent }: Sending,
): SignedRequest {
  if (!body) throw new Error(`the event of delivery ${delivery.id} is gone`)
  const { companyId } = tenant
  const place = webhook.sendTraceparent ? traceparent : null
  return {
    body,
    headers: {
      ...withTraceparent(webhookHeaders(keys, companyId, webhook), place),
      ...signatureHeaders({
        secret: openSecret(keys, companyId, webhook.id, webhook.secretSealed),
        id: delivery.eventId,
        timestampSeconds: Math.floor(now.getTime() / 1000),
        body,
      }),
    },
  }
}

/** Ours takes the place of a custom header of that name. */
function withTraceparent(
  headers: Readonly<Record<string, string>>,
  traceparent: string | null,
): Record<string, string> {
  if (traceparent === null) return headers
  const others = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'traceparent')
  return { ...Object.fromEntries(others), traceparent }
}
