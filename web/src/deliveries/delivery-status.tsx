import type { Delivery } from '../common/api/wire.ts'
import { Status } from '../common/ui/status.tsx'
import type { Tone } from '../common/ui/tone.ts'
import { Countdown } from '../common/ui/when.tsx'
import { texts } from './texts.ts'

const STATUSES: Readonly<Record<Delivery['status'], readonly [tone: Tone, word: string]>> = {
  pending: ['idle', texts.statePending],
  success: ['good', texts.stateDelivered],
  retrying: ['warning', texts.stateRetrying],
  failed: ['bad', texts.stateFailed],
}

const HELD: Readonly<Record<string, string>> = {
  company_suspended: texts.waitsForCompany,
  webhook_inactive: texts.waitsForWebhook,
  endpoint_failing: texts.waitsForEndpoint,
}

/** The state of a delivery, and what it waits for. */
export function DeliveryStatusBadge({
  delivery: { status, held_reason, next_retry_at },
  isBadge = false,
}: {
  delivery: Delivery
  isBadge?: boolean
}) {
  const [tone, word] = STATUSES[status]
  return (
    <span className="one-line">
      <Status tone={tone} isBadge={isBadge}>
        {word}
      </Status>
      {held_reason !== null && <span className="quiet">{HELD[held_reason]}</span>}
      {held_reason === null && next_retry_at && (
        <span className="quiet">
          {texts.nextTry({ when: <Countdown until={next_retry_at} over={texts.due} /> })}
        </span>
      )}
    </span>
  )
}
