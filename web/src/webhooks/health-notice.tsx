import { Alert, Group, Text } from '@mantine/core'
import type { Webhook } from '../common/api/wire.ts'
import { causeOfCode } from '../common/format/attempt-hints.ts'
import { plural } from '../common/format/numbers.ts'
import { When } from '../common/ui/when.tsx'
import { HealthBadge } from './health-badge.tsx'

/** Why the service deactivated a webhook. */
const REASONS: Readonly<Record<string, string>> = {
  gone: 'Its endpoint answered 410 Gone, so the service deactivated it.',
  backlog: 'Too many deliveries waited, so the service deactivated it.',
  failing: 'Its endpoint failed for days, so the service deactivated it.',
}

/** How the endpoint does, and what to do about it. */
export function HealthNotice({ webhook: { health, deactivated_reason: reason } }: { webhook: Webhook }) {
  const cause = health.last_error === null ? undefined : causeOfCode(health.last_error)
  return (
    <>
      <Group gap="xs">
        <HealthBadge health={health} />
        <Text size="sm">
          Last success: <When at={health.last_success_at} none="never" />.{' '}
          {health.waiting > 0 && `${plural(health.waiting, 'delivery', 'deliveries')} waiting.`}
        </Text>
      </Group>
      {health.state === 'disabled' && (
        <Alert variant="outline" title="Inactive">
          <Text size="sm">
            {reason !== null && (REASONS[reason] ?? reason)} Nothing is sent. Events that happen meanwhile
            make no delivery, and can be recovered afterwards; what waits goes out when the webhook is
            activated.
          </Text>
        </Alert>
      )}
      {health.state === 'failing' && cause && (
        <Alert variant="outline" color="red" title={cause.cause}>
          <Text size="sm">
            {cause.hint} Failing since <When at={health.failing_since} />:{' '}
            {plural(health.consecutive_failures, 'attempt')} in a row.
          </Text>
        </Alert>
      )}
    </>
  )
}
