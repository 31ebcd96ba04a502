import { Stack } from '@mantine/core'
import type { Key } from '../common/api/wire.ts'
import { linearScale, shortCount } from '../common/chart/scale.ts'
import { TimeChart } from '../common/chart/time-chart.tsx'
import { count } from '../common/format/numbers.ts'
import { Figures } from '../common/ui/figures.tsx'
import { When } from '../common/ui/when.tsx'
import { texts } from './texts.ts'

/** How often the key was used, and from where it was last. Days, weeks and months are those of UTC. */
export function KeyUsage({ apiKey: { usage, ...key } }: { apiKey: Key }) {
  const busiest = [...usage.daily].sort((a, b) => b.requests - a.requests)[0]
  const sum = usage.daily.reduce((total, { requests }) => total + requests, 0)
  return (
    <Stack gap="lg">
      <Figures
        figures={[
          { name: texts.todayUtc, value: count(usage.day) },
          { name: texts.thisWeek, value: count(usage.week) },
          { name: texts.thisMonth, value: count(usage.month) },
          { name: texts.total, value: count(key.request_count) },
          {
            name: texts.lastUsed,
            value: <When at={key.last_used_at} none={texts.never} />,
            note:
              key.last_used_ip === null
                ? texts.noAddressYet
                : texts.fromAddress({ address: key.last_used_ip }),
          },
        ]}
      />
      {sum === 0 || !busiest ? (
        <p className="chart-empty">{texts.noRequest}</p>
      ) : (
        <TimeChart
          title={texts.requestsByDay}
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
          summary={texts.usageSummary({ sum, day: busiest.date, most: busiest.requests })}
        />
      )}
    </Stack>
  )
}
