import { Table, Text } from '@mantine/core'
import type { Delivery } from '../common/api/deliveries.js'
import { inMs } from '../common/format/durations.js'
import { ForeignText } from '../common/ui/foreign-text.js'
import { TextLink } from '../common/ui/text-link.js'
import { When } from '../common/ui/when.js'
import { DeliveryStatusBadge } from './delivery-status.js'

/** One delivery in a list. */
export function DeliveryRow({ delivery, showsWebhook }: { delivery: Delivery; showsWebhook: boolean }) {
  const { id, webhook_id, response_code, error, request_duration_ms: tookMs } = delivery
  return (
    <Table.Tr>
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
            <ForeignText text={`${webhook_id.slice(0, 12)}…`} />
          </TextLink>
        </Table.Td>
      )}
    </Table.Tr>
  )
}
