import { Stack, Text } from '@mantine/core'
import type { Key } from '../common/api/wire.ts'
import { count, plural } from '../common/format/numbers.ts'
import { Chart } from '../common/ui/chart.tsx'
import { Facts } from '../common/ui/facts.tsx'
import { When } from '../common/ui/when.tsx'

/** How often the key was used, and from where it was last. Days, weeks and months are those of UTC. */
export function KeyUsage({ apiKey: { usage, ...key } }: { apiKey: Key }) {
  const busiest = [...usage.daily].sort((a, b) => b.requests - a.requests)[0]
  const sum = usage.daily.reduce((total, { requests }) => total + requests, 0)
  const summary =
    sum === 0 || !busiest
      ? 'No request in the last 30 days.'
      : `${plural(sum, 'request')} in the last 30 days, the most on ${busiest.date}: ${count(busiest.requests)}.`
  return (
    <Stack>
      <Facts
        facts={[
          ['Today (UTC)', count(usage.day)],
          ['This week', count(usage.week)],
          ['This month', count(usage.month)],
          ['In all', count(key.request_count)],
          ['Last used', <When key="used" at={key.last_used_at} none="never" />],
          ['Last address', key.last_used_ip ?? '–'],
        ]}
      />
      <Chart
        title="Requests by day"
        highest={count(busiest?.requests ?? 0)}
        bars={usage.daily.map(({ date, requests }) => ({ label: date, value: requests }))}
        summary={summary}
      />
      <Text size="sm">{summary}</Text>
    </Stack>
  )
}
