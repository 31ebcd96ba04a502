import { Switch } from '@mantine/core'
import type { Webhook, WebhookActivity } from '../common/api/wire.ts'
import { inMs } from '../common/format/durations.ts'
import { count, percent } from '../common/format/numbers.ts'
import { useMay } from '../common/session/context.ts'
import { Row } from '../common/ui/data-table.tsx'
import { ForeignName, ForeignText } from '../common/ui/foreign-text.tsx'
import { Sparkline } from '../common/ui/sparkline.tsx'
import { RowLink } from '../common/ui/text-link.tsx'
import { For, When } from '../common/ui/when.tsx'
import { HealthBadge } from './health-badge.tsx'
import { isDegraded } from './rate-tone.ts'
import { useActivation } from './use-activation.ts'
import { texts } from './texts.ts'

type Props = {
  readonly webhook: Webhook
  /** The attempts of the last 24 hours; undefined until they arrive. */
  readonly activity: WebhookActivity | undefined
  /** Called with the webhook after its switch was pressed. */
  readonly onSet: (changed: Webhook) => void
}

/**
 * If the names of two event types are longer than this, the row shows only one. It says how many others there are. In
 * characters.
 */
const EVENTS_LENGTH = 36
const inOneLine = (events: readonly string[]) =>
  events.slice(0, 2).join(', ').length > EVENTS_LENGTH ? events.slice(0, 1) : events.slice(0, 2)

/** One webhook in the list. */
export function WebhookRow({ webhook, activity, onSet }: Props) {
  const { id, name, health, events } = webhook
  const named = inOneLine(events)
  const more = events.length - named.length
  return (
    <Row
      cells={[
        <div key="name">
          <RowLink href={`/webhooks/${id}`}>
            <ForeignName text={name} />
          </RowLink>
          <span className="second-line mono">
            <ForeignText text={hostOf(webhook.url)} limit={60} />
          </span>
        </div>,
        <div key="state">
          <HealthBadge health={health} activity={activity} />
          {health.failing_since !== null && (
            <span className="second-line">
              <For since={health.failing_since} />
            </span>
          )}
          {activity && isDegraded(activity) && (
            <span className="second-line">
              {texts.attemptsFail({ rate: percent(activity.failures, activity.attempts) })}
            </span>
          )}
        </div>,
        <div key="events" className="cut" title={events.join(', ')}>
          {named.join(', ')}
          {more > 0 && ` +${String(more)}`}
        </div>,
        activity && <Day activity={activity} />,
        activity?.p95_ms == null ? '–' : inMs(activity.p95_ms),
        count(health.waiting),
        <When key="last" at={webhook.last_triggered_at} none={texts.never} />,
        <ActiveSwitch key="active" webhook={webhook} onSet={onSet} />,
      ]}
    />
  )
}

function ActiveSwitch({ webhook, onSet }: Omit<Props, 'activity'>) {
  const mayWrite = useMay('webhooks.write')
  const { isBusy, toggle } = useActivation(webhook, onSet)
  return (
    <Switch
      size="xs"
      aria-label={texts.isActive({ name: webhook.name })}
      checked={webhook.is_active}
      disabled={!mayWrite || isBusy}
      onChange={toggle}
    />
  )
}

/** The success rate of the last 24 hours, with a chart of the attempts by hour. */
function Day({ activity: { attempts, successes, failures, series } }: { activity: WebhookActivity }) {
  if (attempts === 0) return <>–</>
  return (
    <span className="one-line">
      <span className="rate" title={texts.succeededOf({ successes, attempts })}>
        {percent(successes, attempts)}
      </span>
      <Sparkline
        points={series.map((hour) => ({ good: hour.successes, bad: hour.failures }))}
        summary={texts.attemptsOfDay({ attempts, failures })}
      />
    </span>
  )
}

/** The host in a URL that the api accepted. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)
