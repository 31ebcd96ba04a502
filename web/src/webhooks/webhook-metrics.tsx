import { Stack } from '@mantine/core'
import type { WebhookStats } from '../common/api/wire.ts'
import { inMs } from '../common/format/durations.ts'
import { count, percent } from '../common/format/numbers.ts'
import { useOne } from '../common/session/queries.ts'
import { useUrlFilters } from '../common/session/url-filters.ts'
import { NOT_ARRIVED, statusQuery } from '../deliveries/filters.ts'
import { Figures } from '../common/ui/figures.tsx'
import { Loaded } from '../common/ui/loaded.tsx'
import { Segments } from '../common/ui/segments.tsx'
import { AttemptCharts } from './attempt-charts.tsx'
import { rateTone } from './rate-tone.ts'
import { texts } from './texts.ts'

const WINDOWS: readonly { readonly value: WebhookStats['window']; readonly label: string }[] = [
  { value: '24h', label: texts.day },
  { value: '7d', label: texts.week },
  { value: '30d', label: texts.month },
]

/** Figures appear some seconds after an attempt. */
const READ_EVERY_MS = 30_000

/** The statistics for a window, which the address names, and the switch between windows. */
export function useStats(path: string) {
  const { get, set } = useUrlFilters()
  const window = WINDOWS.find(({ value }) => value === get('window'))?.value ?? '24h'
  const reading = useOne<WebhookStats>(path, { query: { window }, everyMs: READ_EVERY_MS })
  const control = (
    <Segments
      label={texts.time}
      choices={WINDOWS}
      value={window}
      onChange={(value) => set({ window: value })}
    />
  )
  return { reading, control }
}

type Props = {
  /** The path of the statistics in the API. */
  readonly path: string
  /** The path of the deliveries to which a chart leads. */
  readonly list: string
}

/** How an endpoint has responded. */
export function AttemptMetrics({ path, list }: Props) {
  const { reading, control } = useStats(path)
  return (
    <Stack>
      <div>{control}</div>
      <Loaded reading={reading}>
        {({ item }) =>
          item.totals.attempts === 0 ? (
            <p className="chart-empty">{texts.noAttempt}</p>
          ) : (
            <Stack gap="lg">
              <TotalFigures stats={item} list={list} />
              <AttemptCharts stats={item} list={list} />
            </Stack>
          )
        }
      </Loaded>
    </Stack>
  )
}

function TotalFigures({ stats: { totals, window }, list }: { stats: WebhookStats; list: string }) {
  const ofWindow = `${list}?within=${window}`
  const ms = (value: number | null) => (value === null ? '–' : inMs(value))
  const { attempts, successes, failures } = totals
  return (
    <Figures
      figures={[
        { name: texts.successRate, value: percent(successes, attempts), tone: rateTone(successes, attempts) },
        { name: texts.attempts, value: count(attempts), href: ofWindow },
        {
          name: texts.failed,
          value: count(failures),
          tone: failures > 0 ? 'bad' : undefined,
          href: `${ofWindow}&${statusQuery(NOT_ARRIVED)}`,
        },
        { name: 'p50', value: ms(totals.p50_ms) },
        { name: 'p95', value: ms(totals.p95_ms) },
        { name: 'p99', value: ms(totals.p99_ms) },
      ]}
    />
  )
}
