import { NativeSelect, Stack, Text } from '@mantine/core'
import type { StatsWindow, WebhookStats } from '../common/api/webhooks.js'
import { inMs } from '../common/format/durations.js'
import { count, percent, plural } from '../common/format/numbers.js'
import { useOne } from '../common/session/queries.js'
import { useUrlFilters } from '../common/session/url-filters.js'
import { Bars } from '../common/ui/bars.js'
import { Facts } from '../common/ui/facts.js'
import { Loaded } from '../common/ui/loaded.js'

const WINDOWS = [
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
]

/** How the endpoint has answered. */
export function WebhookMetrics({ webhookId }: { webhookId: string }) {
  const { get, set } = useUrlFilters()
  const window = (WINDOWS.find(({ value }) => value === get('window'))?.value ?? '24h') as StatsWindow
  const reading = useOne<WebhookStats>(`/webhooks/${webhookId}/stats`, { query: { window } })
  return (
    <Stack>
      <NativeSelect
        label="Time"
        maw={200}
        data={WINDOWS}
        value={window}
        onChange={(event) => set({ window: event.currentTarget.value })}
      />
      <Loaded reading={reading}>{({ item }) => <Figures stats={item} />}</Loaded>
    </Stack>
  )
}

function Figures({ stats: { totals, series } }: { stats: WebhookStats }) {
  const summary = `${plural(totals.attempts, 'attempt')}, ${count(totals.failures)} of them failed.`
  const ms = (value: number | null) => (value === null ? '–' : `at most ${inMs(value)}`)
  return (
    <>
      <Facts
        facts={[
          ['Attempts', count(totals.attempts)],
          ['Succeeded', percent(totals.successes, totals.attempts)],
          ['Half of them took', ms(totals.p50_ms)],
          ['95 of 100 took', ms(totals.p95_ms)],
          ['99 of 100 took', ms(totals.p99_ms)],
        ]}
      />
      <Bars
        height={96}
        summary={summary}
        bars={series.map(({ starts_at, attempts, failures }) => ({
          label: starts_at.slice(0, 16).replace('T', ' '),
          value: attempts,
          bad: failures,
        }))}
      />
      <Text size="sm">{summary}</Text>
      <Facts
        facts={[
          ...Object.entries(totals.by_class).map(
            ([name, value]) => [name === 'none' ? 'No answer' : `Answered ${name}`, count(value)] as const,
          ),
          ...Object.entries(totals.by_error).map(([name, value]) => [name, count(value)] as const),
        ]}
      />
    </>
  )
}
