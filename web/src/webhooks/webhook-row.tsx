import { Switch, Table, Text } from '@mantine/core'
import type { Webhook, WebhookActivity } from '../common/api/wire.ts'
import { count, percent, plural } from '../common/format/numbers.ts'
import { useMay } from '../common/session/context.ts'
import { Bars } from '../common/ui/bars.tsx'
import { ForeignText } from '../common/ui/foreign-text.tsx'
import { TextLink } from '../common/ui/text-link.tsx'
import { When } from '../common/ui/when.tsx'
import { attemptBars } from './attempt-bars.ts'
import { HealthBadge } from './health-badge.tsx'
import { useActivation } from './use-activation.tsx'

type Props = {
  readonly webhook: Webhook
  /** Its last 24 hours; undefined until they have come. */
  readonly activity: WebhookActivity | undefined
}

/** One webhook in the list. */
export function WebhookRow({ webhook, activity }: Props) {
  const { id, name, health } = webhook
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
        <ActiveSwitch webhook={webhook} />
      </Table.Td>
      <Table.Td>
        <HealthBadge health={health} />
        {health.failing_since !== null && (
          <Text size="sm">
            since <When at={health.failing_since} />
          </Text>
        )}
      </Table.Td>
      <Table.Td className="figures">{activity && <Day activity={activity} />}</Table.Td>
      <Table.Td className="figures">{count(health.waiting)}</Table.Td>
      <Table.Td>
        <When at={webhook.last_triggered_at} none="never" />
      </Table.Td>
    </Table.Tr>
  )
}

function ActiveSwitch({ webhook }: { webhook: Webhook }) {
  const mayWrite = useMay('webhooks.write')
  const { isBusy, toggle, offer } = useActivation(webhook)
  return (
    <>
      <Switch
        aria-label={`${webhook.name} is active`}
        checked={webhook.is_active}
        disabled={!mayWrite || isBusy}
        onChange={toggle}
      />
      {offer}
    </>
  )
}

/** How many of the day's attempts succeeded, and when they were. */
function Day({ activity: { attempts, successes, failures, series } }: { activity: WebhookActivity }) {
  if (attempts === 0) return <>–</>
  const share = percent(successes, attempts)
  return (
    <>
      {share} of {count(attempts)}
      <div className="bars-small">
        <Bars
          height={28}
          bars={attemptBars(series)}
          summary={`${plural(attempts, 'attempt')} in 24 hours, ${count(failures)} of them failed`}
        />
      </div>
    </>
  )
}

/** The host of a URL that the api accepted. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)
