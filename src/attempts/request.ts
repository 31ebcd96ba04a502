import type { GateRows } from '../db/system/gate-rows.js'
import { unseal, type KeyRing } from '../domain/sealing/sealing.js'
import { signatureHeaders } from '../domain/webhook/signing.js'
import { sealingContext } from '../domain/webhook/webhook.js'
import type { PreparedRequest } from '../sending/http-sender.js'

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
): PreparedRequest {
  if (!body) throw new Error(`the event of delivery ${delivery.id} is gone`)
  const contextOf = (what: 'secret' | 'headers') => sealingContext(tenant.companyId, webhook.id, what)
  const own =
    webhook.headersSealed === null
      ? {}
      : (JSON.parse(unseal(keys, webhook.headersSealed, contextOf('headers'))) as Record<string, string>)
  return {
    body,
    headers: {
      ...own,
      ...signatureHeaders({
        secret: unseal(keys, webhook.secretSealed, contextOf('secret')),
        id: delivery.eventId,
        timestampSeconds: Math.floor(now.getTime() / 1000),
        body,
      }),
    },
  }
}
