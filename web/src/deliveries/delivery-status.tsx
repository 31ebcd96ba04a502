import type { Delivery } from '../common/api/wire.ts'
import { Status } from '../common/ui/status.tsx'
import type { Tone } from '../common/ui/tone.ts'
import { Countdown } from '../common/ui/when.tsx'

const STATUSES: Readonly<Record<Delivery['status'], readonly [tone: Tone, word: string]>> = {
  pending: ['idle', 'pending'],
  success: ['good', 'delivered'],
  retrying: ['warning', 'retrying'],
  failed: ['bad', 'failed'],
}

const HELD: Readonly<Record<string, string>> = {
  company_suspended: 'waits until the company is resumed',
  webhook_inactive: 'waits until the webhook is active',
  endpoint_failing: 'waits because the endpoint fails',
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
          next try: <Countdown until={next_retry_at} over="due" />
        </span>
      )}
    </span>
  )
}
