import { Checkbox, Table, Text } from '@mantine/core'
import type { Delivery } from '../common/api/wire.ts'

import { inMs } from '../common/format/durations.ts'
import { useWebhookNames } from '../common/session/webhook-names.ts'
import { ForeignText } from '../common/ui/foreign-text.tsx'
import { TextLink } from '../common/ui/text-link.tsx'
import { When } from '../common/ui/when.tsx'
import { DeliveryStatusBadge } from './delivery-status.tsx'
import { IS_POSSIBLE } from './send-many.ts'

type Props = {
  readonly delivery: Delivery
  readonly showsWebhook: boolean
  /** Absent where the user may send nothing. */
  readonly selection?: { readonly isSelected: boolean; readonly onSelect: (isSelected: boolean) => void }
}

/** One delivery in a list. */
export function DeliveryRow({ delivery, showsWebhook, selection }: Props) {
  const { id, webhook_id, response_code, error, request_duration_ms: tookMs } = delivery
  return (
    <Table.Tr>
      {selection && (
        <Table.Td>
          {(IS_POSSIBLE.retry(delivery) || IS_POSSIBLE.resend(delivery)) && (
            <Checkbox
              aria-label={`Select the delivery of ${delivery.event_id}`}
              checked={selection.isSelected}
              onChange={(event) => selection.onSelect(event.currentTarget.checked)}
            />
          )}
        </Table.Td>
      )}
      <Table.Td>
        <TextLink href={`/deliveries/${webhook_id}/${id}`}>
          <When at={delivery.created_at} />
        </TextLink>
      </Table.Td>
      <Table.Td>
        {delivery.event_type}
        <Text size="sm" className="foreign">
          {delivery.event_id}
        </Text>
        {delivery.resend_of !== null && <Text size="sm">sent once more</Text>}
      </Table.Td>
      <Table.Td>
        <DeliveryStatusBadge delivery={delivery} />
      </Table.Td>
      <Table.Td>{response_code ?? error ?? '–'}</Table.Td>
      <Table.Td className="figures">
        {delivery.attempts} of {delivery.max_attempts}
      </Table.Td>
      <Table.Td className="figures">{tookMs === null ? '–' : inMs(tookMs)}</Table.Td>
      {showsWebhook && (
        <Table.Td>
          <TextLink href={`/webhooks/${webhook_id}`}>
            <WebhookName id={webhook_id} />
          </TextLink>
        </Table.Td>
      )}
    </Table.Tr>
  )
}

/** The name of a webhook; how its id begins, until the names have come. */
function WebhookName({ id }: { id: string }) {
  const name = useWebhookNames().find((webhook) => webhook.id === id)?.name
  return <ForeignText text={name ?? `${id.slice(0, 12)}…`} limit={60} />
}
