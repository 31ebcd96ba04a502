import { Table, Text } from '@mantine/core'
import type { Webhook } from '../common/api/webhooks.js'
import { count, percent, plural } from '../common/format/numbers.js'
import { ForeignText } from '../common/ui/foreign-text.js'
import { TextLink } from '../common/ui/text-link.js'
import { When } from '../common/ui/when.js'
import { HealthBadge } from './health-badge.js'

/** One webhook in the list. */
export function WebhookRow({ webhook }: { webhook: Webhook }) {
  const { id, name, health, successful_deliveries: good, failed_deliveries: bad } = webhook
  return (
    <Table.Tr>
      <Table.Td>
        <TextLink href={`/webhooks/${id}`}>
          <ForeignText text={name} limit={60} />
        </TextLink>
      </Table.Td>
      <Table.Td>
        <ForeignText text={hostOf(webhook.url)} limit={60} />
      </Table.Td>
      <Table.Td>{plural(webhook.events.length, 'type')}</Table.Td>
      <Table.Td>
        <HealthBadge state={health.state} />
        {health.failing_since !== null && (
          <Text size="sm">
            since <When at={health.failing_since} />
          </Text>
        )}
      </Table.Td>
      <Table.Td className="figures">
        {percent(good, good + bad)}
        {good + bad > 0 && <Text size="sm">of {count(good + bad)}</Text>}
      </Table.Td>
      <Table.Td className="figures">{count(health.waiting)}</Table.Td>
      <Table.Td>
        <When at={webhook.last_triggered_at} none="never" />
      </Table.Td>
    </Table.Tr>
  )
}

/** The host of a URL that the api accepted. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)
