import { Checkbox } from '@mantine/core'
import type { Delivery } from '../common/api/wire.ts'
import { causeOf, shortCause } from '../common/format/attempt-hints.ts'
import { inMs } from '../common/format/durations.ts'
import { useWebhookNames } from '../common/session/webhook-names.ts'
import { Row } from '../common/ui/data-table.tsx'
import { ForeignText } from '../common/ui/foreign-text.tsx'
import { ShortId } from '../common/ui/short-id.tsx'
import { QuietLink, RowLink } from '../common/ui/text-link.tsx'
import { When } from '../common/ui/when.tsx'
import { DeliveryStatusBadge } from './delivery-status.tsx'
import { IS_POSSIBLE } from './send-many.ts'

type Props = {
  readonly delivery: Delivery
  readonly showsWebhook: boolean
  /** Absent where the user may send nothing. */
  readonly selection?: { readonly isSelected: boolean; readonly onSelect: (isSelected: boolean) => void }
}

/** One delivery in a list. Its event leads to it. */
export function DeliveryRow({ delivery, showsWebhook, selection }: Props) {
  const { id, webhook_id, request_duration_ms: tookMs } = delivery
  return (
    <Row
      cells={[
        ...(selection ? [<Selection key="select" delivery={delivery} {...selection} />] : []),
        <DeliveryStatusBadge key="state" delivery={delivery} />,
        <span key="event" className="one-line">
          <RowLink href={`/deliveries/${webhook_id}/${id}`}>{delivery.event_type}</RowLink>
          <ShortId id={delivery.event_id} what="event id" />
          {delivery.resend_of !== null && <span className="quiet">resent</span>}
        </span>,
        ...(showsWebhook
          ? [
              <QuietLink key="webhook" href={`/webhooks/${webhook_id}`}>
                <WebhookName id={webhook_id} />
              </QuietLink>,
            ]
          : []),
        <span key="response" title={causeOf(delivery)?.cause}>
          {shortCause(delivery)}
        </span>,
        `${delivery.attempts} of ${delivery.max_attempts}`,
        tookMs === null ? '–' : inMs(tookMs),
        <When key="created" at={delivery.created_at} />,
      ]}
    />
  )
}

type SelectionProps = Required<Props>['selection'] & { readonly delivery: Delivery }

const Selection = ({ delivery, isSelected, onSelect }: SelectionProps) =>
  (IS_POSSIBLE.retry(delivery) || IS_POSSIBLE.resend(delivery)) && (
    <Checkbox
      size="xs"
      aria-label={`Select the delivery of ${delivery.event_id}`}
      checked={isSelected}
      onChange={(event) => onSelect(event.currentTarget.checked)}
    />
  )

/** The name of a webhook; how its id begins, until the names have come. */
function WebhookName({ id }: { id: string }) {
  const name = useWebhookNames().find((webhook) => webhook.id === id)?.name
  return <ForeignText text={name ?? `${id.slice(0, 12)}…`} limit={40} />
}
