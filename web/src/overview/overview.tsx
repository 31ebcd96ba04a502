import { Group, Stack, Title } from '@mantine/core'
import type { Attention, WebhookStats } from '../common/api/wire.ts'
import { count, percent, plural } from '../common/format/numbers.ts'
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

/** How often it is read anew while somebody looks at it. */
const READ_EVERY_MS = 30_000

const DAY_LIST = '/deliveries?within=24h'

/** How the environment does, and what needs somebody. */
export default function Overview() {
  const attention = useOne<Attention>('/attention', { everyMs: READ_EVERY_MS })
  const day = useOne<WebhookStats>('/activity', { query: { window: '24h' }, everyMs: READ_EVERY_MS })
  return (
    <>
      <PageTitle title="Overview" />
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
          name: 'Success rate, 24 h',
          value: percent(successes, attempts),
          tone: rateTone(successes, attempts),
          note: yesterday ? `${percent(yesterday.successes, yesterday.attempts)} yesterday (UTC)` : '\u00a0',
          href: DAY_LIST,
        },
        {
          name: 'Attempts succeeded, 24 h',
          value: count(successes),
          note: `of ${plural(attempts, 'attempt')}`,
          href: `${DAY_LIST}&status=success`,
        },
        {
          name: 'Attempts failed, 24 h',
          value: count(failures),
          tone: failures > 0 ? 'bad' : undefined,
          note: `${percent(failures, attempts)} of all`,
          href: `${DAY_LIST}&status=retrying%2Cfailed`,
        },
        {
          name: 'Deliveries waiting',
          value: waiting === undefined ? '–' : count(waiting),
          note: 'for a retry, or an active webhook',
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
          Needs attention
        </Title>
        <TextLink href="/notices">All notices</TextLink>
      </div>
      <ConcernList concerns={concerns.slice(0, CONCERNS_SHOWN)} />
      {more > 0 && (
        <p className="quiet">
          {count(more)} more: see <TextLink href="/webhooks">webhooks</TextLink> and{' '}
          <TextLink href="/keys">API keys</TextLink>.
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
          Attempts of all webhooks
        </Title>
        {control}
      </Group>
      <Loaded reading={reading}>
        {({ item }) =>
          item.totals.attempts === 0 ? (
            <p className="chart-empty">No attempt was made in this time.</p>
          ) : (
            <VolumeChart stats={item} list="/deliveries" />
          )
        }
      </Loaded>
    </section>
  )
}
