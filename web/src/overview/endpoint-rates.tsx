import { Title } from '@mantine/core'
import type { Attention, WebhookActivity } from '../common/api/wire.ts'
import { inMs } from '../common/format/durations.ts'
import { count, percent } from '../common/format/numbers.ts'
import { useOne } from '../common/session/queries.ts'
import { useWebhookNames } from '../common/session/webhook-names.ts'
import { DataTable, Row, type Column } from '../common/ui/data-table.tsx'
import { ForeignName } from '../common/ui/foreign-text.tsx'
import { Loaded } from '../common/ui/loaded.tsx'
import { Sparkline } from '../common/ui/sparkline.tsx'
import { RowLink, TextLink } from '../common/ui/text-link.tsx'
import { activityTone } from '../webhooks/health-badge.tsx'
import { countedFirst, worstFirst } from './worst-first.ts'
import { texts } from './texts.ts'

/** The most webhooks that the api counts in one call. */
const COUNTED = 100

const SHOWN = 10

const READ_EVERY_MS = 30_000

const COLUMNS: readonly Column[] = [
  texts.endpoint,
  texts.successRate,
  texts.byHour,
  { name: texts.failed, isFigure: true },
  { name: texts.attempts, isFigure: true },
  { name: 'p95', isFigure: true },
]

/** The last 24 hours of each endpoint, the worst first. Renders nothing without webhooks. */
export function EndpointRates({ attention }: { attention: Attention | undefined }) {
  const names = useWebhookNames()
  const needAttention = (attention?.unwell_webhooks ?? []).map(({ id }) => id)
  return names.length === 0 ? null : <Rates names={names} needAttention={needAttention} />
}

type RatesProps = {
  readonly names: ReturnType<typeof useWebhookNames>
  readonly needAttention: readonly string[]
}

function Rates({ names, needAttention }: RatesProps) {
  const ids = countedFirst(
    names.map(({ id }) => id),
    needAttention,
    COUNTED,
  )
  const reading = useOne<readonly WebhookActivity[]>('/activity/webhooks', {
    query: { ids: ids.join(',') },
    everyMs: READ_EVERY_MS,
  })
  const nameOf = new Map(names.map(({ id, name }) => [id, name]))
  return (
    <section aria-labelledby="endpoints">
      <div className="section-head">
        <Title order={2} id="endpoints">
          {texts.endpointsWorstFirst}
        </Title>
        <span className="quiet">
          {names.length > SHOWN && `${texts.shownOf({ shown: SHOWN, number: names.length })} · `}
          <TextLink href="/webhooks">{texts.allWebhooks}</TextLink>
        </span>
      </div>
      <Loaded reading={reading}>
        {({ item }) => (
          <DataTable label={texts.endpoints} columns={COLUMNS}>
            {worstFirst(item, needAttention)
              .slice(0, SHOWN)
              .map((activity) => (
                <Endpoint
                  key={activity.webhook_id}
                  activity={activity}
                  name={nameOf.get(activity.webhook_id) ?? activity.webhook_id}
                />
              ))}
          </DataTable>
        )}
      </Loaded>
    </section>
  )
}

function Endpoint({ activity, name }: { activity: WebhookActivity; name: string }) {
  const { webhook_id, attempts, successes, failures, p95_ms, series } = activity
  const share = attempts === 0 ? 0 : (successes / attempts) * 100
  return (
    <Row
      cells={[
        <span key="name" className="one-line">
          <span className="dot" data-tone={activityTone(activity)} aria-hidden="true" />
          <RowLink href={`/webhooks/${webhook_id}?tab=metrics`}>
            <ForeignName text={name} limit={60} />
          </RowLink>
        </span>,
        attempts === 0 ? (
          '–'
        ) : (
          <span key="rate" className="one-line">
            <span className="rate-bar" aria-hidden="true">
              <span style={{ width: `${share}%` }} />
            </span>
            {percent(successes, attempts)}
          </span>
        ),
        attempts === 0 ? (
          texts.noAttempt
        ) : (
          <Sparkline
            key="day"
            points={series.map((hour) => ({ good: hour.successes, bad: hour.failures }))}
            summary={texts.attemptsOfDay({ attempts, failures })}
          />
        ),
        count(failures),
        count(attempts),
        p95_ms === null ? '–' : inMs(p95_ms),
      ]}
    />
  )
}
