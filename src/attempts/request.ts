import type { GateRows } from '../db/delivery/gate-rows.ts'
import type { KeyRing } from '../domain/sealing/sealing.ts'
import { signatureHeaders } from '../domain/webhook/signing.ts'
import { openSecret, webhookHeaders } from '../domain/webhook/webhook.ts'
import type { SignedRequest } from '../sending/ready-connection.ts'

/**
 * Makes the request of an attempt. It has the event's bytes as they were stored and the webhook's own headers. It also
 * has the signature headers of Standard Webhooks for the time `now`, made with the current secret.
 *
 * @throws SealError when the key ring cannot read the webhook's secret or headers; Error when the event is gone
 */
export function createRequest(
  keys: KeyRing,
  { tenant, webhook, delivery, body }: GateRows,
  now: Date,
): SignedRequest {
  if (!body) throw new Error(`the event of delivery ${delivery.id} is gone`)
  const { companyId } = tenant
  return {
    body,
    headers: {
      ...webhookHeaders(keys, companyId, webhook),
      ...signatureHeaders({
        secret: openSecret(keys, companyId, webhook.id, webhook.secretSealed),
        id: delivery.eventId,
        timestampSeconds: Math.floor(now.getTime() / 1000),
        body,
      }),
    },
  }
}
