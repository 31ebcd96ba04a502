import { Group, Stack, Title } from '@mantine/core'
import type { Attention, WebhookStats } from '../common/api/wire.ts'
import { count, percent } from '../common/format/numbers.ts'
import { useOne } from '../common/session/queries.ts'
import { Figures } from '../common/ui/figures.tsx'
import { Loaded } from '../common/ui/loaded.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { TextLink } from '../common/ui/text-link.tsx'
import { NOT_ARRIVED, WAITING, statusQuery } from '../deliveries/filters.ts'
import { VolumeChart } from '../webhooks/attempt-charts.tsx'
import { rateTone } from '../webhooks/rate-tone.ts'
import { useStats } from '../webhooks/webhook-metrics.tsx'
import { headline, keyConcerns, webhookConcerns } from './attention.ts'
import { ConcernList } from './concern-list.tsx'
import { EndpointRates } from './endpoint-rates.tsx'
import { FirstStepsList, useFirstSteps } from './first-steps-list.tsx'
import { texts } from './texts.ts'

/** How often an open overview is read again. */
const READ_EVERY_MS = 30_000

/** The overview of the environment: its state in a sentence, what needs attention, figures over time, and the endpoints. */
export default function Overview() {
  const attention = useOne<Attention>('/attention', { everyMs: READ_EVERY_MS })
  const item = attention.data?.item
  const steps = useFirstSteps()
  return (
    <>
      <PageTitle title={texts.overview} {...(item && headline(item))}>
        <TextLink href="/notices">{texts.allNotices}</TextLink>
      </PageTitle>
      <Stack gap="xl">
        <Loaded reading={attention}>{(read) => <NeedsAttention attention={read.item} />}</Loaded>
        {steps && !steps.isOver && <FirstStepsList steps={steps} />}
        {(steps === undefined || steps.webhook !== undefined) && (
          <>
            <Volume waiting={item?.waiting} />
            <EndpointRates attention={item} />
          </>
        )}
      </Stack>
    </>
  )
}

/** The most lines. The lists have the others. */
const CONCERNS_SHOWN = 5

function NeedsAttention({ attention: { unwell, unwell_webhooks, expiring_keys } }: { attention: Attention }) {
  const concerns = [...webhookConcerns(unwell_webhooks), ...keyConcerns(expiring_keys)]
  const more = unwell - unwell_webhooks.length + concerns.slice(CONCERNS_SHOWN).length
  if (concerns.length === 0) return null
  return (
    <section aria-label={texts.needsAttention}>
      <ConcernList concerns={concerns.slice(0, CONCERNS_SHOWN)} />
      {more > 0 && (
        <p className="quiet">
          {texts.more({
            number: more,
            webhooks: <TextLink href="/webhooks">{texts.webhooks}</TextLink>,
            keys: <TextLink href="/keys">{texts.apiKeys}</TextLink>,
          })}
        </p>
      )}
    </section>
  )
}

/** Figures and a chart of the attempts of all webhooks in one window. */
function Volume({ waiting }: { waiting: number | undefined }) {
  const { reading, control } = useStats('/activity')
  return (
    <section aria-labelledby="volume" className="panel">
      <Group justify="space-between" className="panel-head">
        <Title order={2} id="volume">
          {texts.attemptsOfAllWebhooks}
        </Title>
        {control}
      </Group>
      <Loaded reading={reading}>
        {({ item }) => (
          <>
            <WindowFigures stats={item} waiting={waiting} />
            <div className="panel-body">
              {item.totals.attempts === 0 ? (
                <p className="chart-empty">{texts.noAttemptMade}</p>
              ) : (
                <VolumeChart stats={item} list="/deliveries" />
              )}
            </div>
          </>
        )}
      </Loaded>
    </section>
  )
}

type WindowProps = { readonly stats: WebhookStats; readonly waiting: number | undefined }

function WindowFigures({ stats: { window, totals }, waiting }: WindowProps) {
  const { attempts, successes, failures } = totals
  const list = `/deliveries?within=${window}`
  return (
    <Figures
      figures={[
        {
          name: texts.successRate,
          value: percent(successes, attempts),
          tone: rateTone(successes, attempts),
          note: window === '24h' ? <Yesterday /> : texts.ofAttempts({ attempts }),
          href: list,
        },
        {
          name: texts.succeeded,
          value: count(successes),
          note: texts.ofAttempts({ attempts }),
          href: `${list}&status=success`,
        },
        {
          name: texts.failed,
          value: count(failures),
          tone: failures > 0 ? 'bad' : undefined,
          note: texts.ofAll({ failures, attempts }),
          href: `${list}&${statusQuery(NOT_ARRIVED)}`,
        },
        {
          name: texts.deliveriesWaiting,
          value: waiting === undefined ? '–' : count(waiting),
          note: texts.waitingFor,
          href: `/deliveries?${statusQuery(WAITING)}`,
        },
      ]}
    />
  )
}

/** The success rate of the day before, for comparison. */
function Yesterday() {
  const week = useOne<WebhookStats>('/activity', { query: { window: '7d' } })
  const day = week.data?.item.series.at(-2)
  return day === undefined || day.attempts === 0
    ? '\u00A0'
    : texts.yesterday({ rate: percent(day.successes, day.attempts) })
}
