import { Stack } from '@mantine/core'
import type { Key } from '../common/api/wire.ts'
import { linearScale, shortCount } from '../common/chart/scale.ts'
import { TimeChart } from '../common/chart/time-chart.tsx'
import { count, plural } from '../common/format/numbers.ts'
import { Figures } from '../common/ui/figures.tsx'
import { When } from '../common/ui/when.tsx'

/** How often the key was used, and from where it was last. Days, weeks and months are those of UTC. */
export function KeyUsage({ apiKey: { usage, ...key } }: { apiKey: Key }) {
  const busiest = [...usage.daily].sort((a, b) => b.requests - a.requests)[0]
  const sum = usage.daily.reduce((total, { requests }) => total + requests, 0)
  return (
    <Stack gap="lg">
      <Figures
        figures={[
          { name: 'Today (UTC)', value: count(usage.day) },
          { name: 'This week', value: count(usage.week) },
          { name: 'This month', value: count(usage.month) },
          { name: 'Total', value: count(key.request_count) },
          {
            name: 'Last used',
            value: <When at={key.last_used_at} none="never" />,
            note: key.last_used_ip === null ? 'no address yet' : `from ${key.last_used_ip}`,
          },
        ]}
      />
      {sum === 0 || !busiest ? (
        <p className="chart-empty">No request in the last 30 days.</p>
      ) : (
        <TimeChart
          title="Requests by day"
          kind="bars"
          unit="day"
          starts={usage.daily.map(({ date }) => `${date}T00:00:00.000Z`)}
          series={[
            {
              name: 'requests',
              color: 'var(--chart-1)',
              values: usage.daily.map(({ requests }) => requests),
            },
          ]}
          scale={linearScale(busiest.requests)}
          format={count}
          axis={shortCount}
          summary={`${plural(sum, 'request')} in the last 30 days, the most on ${busiest.date}: ${count(busiest.requests)}.`}
        />
      )}
    </Stack>
  )
}
