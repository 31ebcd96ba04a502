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

const HELD_SHORT: Readonly<Record<string, string>> = {
  company_suspended: texts.suspended,
  webhook_inactive: texts.inactive,
  endpoint_failing: texts.failing,
}

/** The state of a delivery, and why it waits. */
export function DeliveryStatusBadge({
  delivery: { status, held_reason, next_retry_at },
  isBadge = false,
  isInRow = false,
}: {
  delivery: Delivery
  isBadge?: boolean
  /** For lists, in which the words beside the state must not widen the column. */
  isInRow?: boolean
}) {
  const [tone, word] = STATUSES[status]
  return (
    <span className="one-line">
      <Status tone={tone} isBadge={isBadge}>
        {word}
      </Status>
      {held_reason !== null && (
        <span className="quiet" title={HELD[held_reason]}>
          {isInRow ? HELD_SHORT[held_reason] : HELD[held_reason]}
        </span>
      )}
      {held_reason === null && next_retry_at && (
        <span className="quiet">
          <span className={isInRow ? 'spare-words' : undefined}>{texts.nextTry} </span>
          <Countdown until={next_retry_at} over={texts.due} />
        </span>
      )}
    </span>
  )
}
