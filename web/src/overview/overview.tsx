import { Group, Stack, Title } from '@mantine/core'
import type { Attention, WebhookStats } from '../common/api/wire.ts'
import { count, percent } from '../common/format/numbers.ts'
import { useOne } from '../common/session/queries.ts'
import { Figures } from '../common/ui/figures.tsx'
import { Loaded } from '../common/ui/loaded.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { TextLink } from '../common/ui/text-link.tsx'
import { VolumeChart } from '../webhooks/attempt-charts.tsx'
import { rateTone } from '../webhooks/rate-tone.ts'
import { useStats } from '../webhooks/webhook-metrics.tsx'
import { keyConcerns, webhookConcerns } from './attention.ts'
import { ConcernList } from './concern-list.tsx'
import { EndpointRates } from './endpoint-rates.tsx'
import { texts } from './texts.ts'

/** How often it is read anew while somebody looks at it. */
const READ_EVERY_MS = 30_000

const DAY_LIST = '/deliveries?within=24h'

/** How the environment does, and what needs somebody. */
export default function Overview() {
  const attention = useOne<Attention>('/attention', { everyMs: READ_EVERY_MS })
  const day = useOne<WebhookStats>('/activity', { query: { window: '24h' }, everyMs: READ_EVERY_MS })
  return (
    <>
      <PageTitle title={texts.overview} />
      <Stack gap="xl">
        <Loaded reading={day}>
          {({ item }) => <DayFigures day={item} waiting={attention.data?.item.waiting} />}
        </Loaded>
        <Loaded reading={attention}>{({ item }) => <NeedsAttention attention={item} />}</Loaded>
        <Volume />
        <EndpointRates />
      </Stack>
    </>
  )
}

function DayFigures({ day: { totals }, waiting }: { day: WebhookStats; waiting: number | undefined }) {
  const { attempts, successes, failures } = totals
  const week = useOne<WebhookStats>('/activity', { query: { window: '7d' } })
  const yesterday = week.data?.item.series.at(-2)
  return (
    <Figures
      figures={[
        {
          name: texts.successRateOfDay,
          value: percent(successes, attempts),
          tone: rateTone(successes, attempts),
          note: yesterday
            ? texts.yesterday({ rate: percent(yesterday.successes, yesterday.attempts) })
            : '\u00a0',
          href: DAY_LIST,
        },
        {
          name: texts.succeededOfDay,
          value: count(successes),
          note: texts.ofAttempts({ attempts }),
          href: `${DAY_LIST}&status=success`,
        },
        {
          name: texts.failedOfDay,
          value: count(failures),
          tone: failures > 0 ? 'bad' : undefined,
          note: texts.ofAll({ failures, attempts }),
          href: `${DAY_LIST}&status=retrying%2Cfailed`,
        },
        {
          name: texts.deliveriesWaiting,
          value: waiting === undefined ? '–' : count(waiting),
          note: texts.waitingFor,
          href: '/deliveries?status=retrying',
        },
      ]}
    />
  )
}

/** So many lines; the lists have the others. */
const CONCERNS_SHOWN = 5

function NeedsAttention({ attention: { unwell, unwell_webhooks, expiring_keys } }: { attention: Attention }) {
  const concerns = [...webhookConcerns(unwell_webhooks), ...keyConcerns(expiring_keys)]
  const more = unwell - unwell_webhooks.length + concerns.slice(CONCERNS_SHOWN).length
  return (
    <section aria-labelledby="attention">
      <div className="section-head">
        <Title order={2} id="attention">
          {texts.needsAttention}
        </Title>
        <TextLink href="/notices">{texts.allNotices}</TextLink>
      </div>
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

function Volume() {
  const { reading, control } = useStats('/activity')
  return (
    <section aria-labelledby="volume">
      <Group justify="space-between" mb="sm">
        <Title order={2} id="volume">
          {texts.attemptsOfAllWebhooks}
        </Title>
        {control}
      </Group>
      <Loaded reading={reading}>
        {({ item }) =>
          item.totals.attempts === 0 ? (
            <p className="chart-empty">{texts.noAttemptMade}</p>
          ) : (
            <VolumeChart stats={item} list="/deliveries" />
          )
        }
      </Loaded>
    </section>
  )
}
