import type { Delivery } from '../common/api/wire.ts'
import { causeOf, shortCause } from '../common/format/attempt-hints.ts'
import { inMs } from '../common/format/durations.ts'
import { Row } from '../common/ui/data-table.tsx'
import { ForeignName } from '../common/ui/foreign-text.tsx'
import { Subject } from '../common/ui/subject.tsx'
import { TestBadge } from '../common/ui/test-badge.tsx'
import { QuietLink, RowLink } from '../common/ui/text-link.tsx'
import { When } from '../common/ui/when.tsx'
import { DeliveryStatusBadge } from './delivery-status.tsx'
import { IS_POSSIBLE } from './send-many.ts'
import { texts } from './texts.ts'

type Props = {
  readonly delivery: Delivery
  /** Absent in the list of one webhook. */
  readonly webhookName?: string
  /** Absent if the user may not retry or resend. */
  readonly selection?: { readonly isSelected: boolean; readonly onSelect: (isSelected: boolean) => void }
}

/** One delivery in a list. A click opens its page. */
export function DeliveryRow({ delivery, webhookName, selection }: Props) {
  const { id, webhook_id, request_duration_ms: tookMs } = delivery
  return (
    <Row
      cells={[
        ...(selection ? [<Selection key="select" delivery={delivery} {...selection} />] : []),
        <DeliveryStatusBadge key="state" delivery={delivery} isInRow />,
        <span key="event" className="one-line">
          <RowLink href={`/deliveries/${webhook_id}/${id}`}>{delivery.event_type}</RowLink>
          {delivery.is_test && <TestBadge />}
          {delivery.resend_of !== null && <span className="quiet">{texts.resent}</span>}
        </span>,
        <Subject
          key="subject"
          record={delivery.record}
          name={delivery.record_name}
          eventId={delivery.event_id}
        />,
        ...(webhookName === undefined
          ? []
          : [
              <span key="webhook" className="cut" title={webhookName}>
                <QuietLink href={`/webhooks/${webhook_id}`}>
                  <ForeignName text={webhookName} />
                </QuietLink>
              </span>,
            ]),
        <Response key="response" delivery={delivery} />,
        texts.attemptsOf({ attempts: delivery.attempts, maxAttempts: delivery.max_attempts }),
        tookMs === null ? '–' : inMs(tookMs),
        <When key="created" at={delivery.created_at} />,
      ]}
    />
  )
}

/** The latest result. Its code is red unless the attempt succeeded. */
function Response({ delivery }: { delivery: Delivery }) {
  const { response_code: code, error } = delivery
  const isGood = code === null ? error === null : code >= 200 && code <= 299
  return (
    <span
      className="answer"
      data-tone={isGood ? undefined : code === null ? 'cause' : 'bad'}
      title={causeOf(delivery)?.cause}
    >
      {shortCause(delivery)}
    </span>
  )
}

type SelectionProps = Required<Props>['selection'] & { readonly delivery: Delivery }

const Selection = ({ delivery, isSelected, onSelect }: SelectionProps) =>
  (IS_POSSIBLE.retry(delivery) || IS_POSSIBLE.resend(delivery)) && (
    <input
      type="checkbox"
      className="check"
      aria-label={texts.selectDeliveryOf({ eventId: delivery.event_id })}
      checked={isSelected}
      onChange={(event) => onSelect(event.currentTarget.checked)}
    />
  )
