import { Stack, Title } from '@mantine/core'
import { useLocation } from 'wouter'
import type { AttemptFigures, WebhookStats } from '../common/api/wire.ts'
import { durationScale, linearScale, shortCount } from '../common/chart/scale.ts'
import type { ChartWindow } from '../common/chart/series.ts'
import { TimeChart } from '../common/chart/time-chart.tsx'
import { causeOfCode } from '../common/format/attempt-hints.ts'
import { inMs } from '../common/format/durations.ts'
import { count, percent } from '../common/format/numbers.ts'
import { Disclosure } from '../common/ui/disclosure.tsx'
import { DataTable, Row } from '../common/ui/data-table.tsx'
import { NOT_ARRIVED, OWN_TIMES } from '../deliveries/filters.ts'
import { errorRates, startText } from './attempt-bars.ts'
import { texts } from './texts.ts'

type Props = {
  readonly stats: WebhookStats
  /** The path of the deliveries that a click on a bar opens. */
  readonly list: string
}

/** Opens the deliveries of a window in a chart. */
function useOpenDeliveries(list: string) {
  const [, navigate] = useLocation()
  return ({ after, before, status }: ChartWindow) => {
    const query = new URLSearchParams({ within: OWN_TIMES, after, before, ...(status !== '' && { status }) })
    navigate(`${list}?${query.toString()}`)
  }
}

/** The number of attempts, and how many of them failed. */
export function VolumeChart({ stats: { totals, series, unit }, list }: Props) {
  const onOpen = useOpenDeliveries(list)
  return (
    <TimeChart
      title={texts.attemptsBy({ unit })}
      kind="bars"
      unit={unit}
      starts={series.map(({ starts_at }) => starts_at)}
      series={[
        {
          name: texts.seriesFailed,
          color: 'var(--chart-bad)',
          values: series.map(({ failures }) => failures),
          opens: { status: NOT_ARRIVED, words: texts.thoseNotArrived },
        },
        {
          name: texts.seriesSucceeded,
          color: 'var(--chart-good)',
          values: series.map(({ successes }) => successes),
        },
      ]}
      scale={linearScale(Math.max(...series.map(({ attempts }) => attempts)))}
      format={count}
      axis={shortCount}
      summary={texts.attemptsSummary({ attempts: totals.attempts, failures: totals.failures })}
      onOpen={onOpen}
    />
  )
}

/** Charts over time: volume, error rate, durations and responses. Below them the same figures as a table. */
export function AttemptCharts({ stats, list }: Props) {
  const { totals, series, unit } = stats
  const onOpen = useOpenDeliveries(list)
  const time = { unit, starts: series.map(({ starts_at }) => starts_at), onOpen }
  const durations = series.flatMap(({ p50_ms, p95_ms, p99_ms }) =>
    [p50_ms, p95_ms, p99_ms].filter((ms) => ms !== null),
  )
  return (
    <Stack gap="xl">
      <VolumeChart stats={stats} list={list} />
      <TimeChart
        {...time}
        title={texts.errorRate}
        kind="lines"
        series={[{ name: texts.seriesFailed, color: 'var(--chart-bad)', values: errorRates(series) }]}
        scale={linearScale(100)}
        format={(value) => `${value} %`}
        summary={texts.errorRateSummary({ failures: totals.failures, attempts: totals.attempts })}
      />
      <TimeChart
        {...time}
        title={texts.duration}
        kind="lines"
        series={[
          { name: 'p99', color: 'var(--chart-3)', values: series.map(({ p99_ms }) => p99_ms) },
          { name: 'p95', color: 'var(--chart-2)', values: series.map(({ p95_ms }) => p95_ms) },
          { name: 'p50', color: 'var(--chart-1)', values: series.map(({ p50_ms }) => p50_ms) },
        ]}
        scale={durationScale(durations)}
        format={inMs}
        summary={texts.durationSummary({ p50: msText(totals.p50_ms), p95: msText(totals.p95_ms) })}
      />
      <p className="quiet">{texts.percentilesEstimated}</p>
      <Responses totals={totals} />
      <Disclosure summary={texts.theSameAsATable}>
        <DataTable
          label={texts.attemptsByTime}
          columns={[texts.from, ...[texts.attempts, texts.failed, 'p50', 'p95', 'p99'].map(asFigure)]}
        >
          {series.toReversed().map((each) => (
            <Row
              key={each.starts_at}
              cells={[
                startText(each.starts_at, unit),
                count(each.attempts),
                count(each.failures),
                ...[each.p50_ms, each.p95_ms, each.p99_ms].map(msText),
              ]}
            />
          ))}
        </DataTable>
      </Disclosure>
    </Stack>
  )
}

const asFigure = (name: string) => ({ name, isFigure: true }) as const

const msText = (ms: number | null): string => (ms === null ? '–' : inMs(ms))

/** Attempts by the class of their status. Attempts without a status are split by their error code. */
function Responses({ totals: { attempts, by_class, by_error } }: { totals: AttemptFigures }) {
  // The API names the class without a status last, so its parts come last too.
  const rows = [
    ...Object.entries(by_class).map(
      ([name, value]) => [name === 'none' ? texts.noResponse : name, value, false] as const,
    ),
    ...Object.entries(by_error).map(
      ([code, value]) => [`${code}: ${causeOfCode(code)?.cause ?? ''}`, value, true] as const,
    ),
  ].filter(([, value]) => value > 0)
  return (
    <section aria-labelledby="responses">
      <Title order={2} id="responses" mb="xs">
        {texts.responses}
      </Title>
      <DataTable
        label={texts.responses}
        columns={[texts.response, ...[texts.attempts, texts.share].map(asFigure)]}
      >
        {rows.map(([name, value, isPart]) => (
          <Row
            key={name}
            cells={[
              isPart ? (
                <span key="name" className="row-part">
                  {name}
                </span>
              ) : (
                name
              ),
              count(value),
              percent(value, attempts),
            ]}
          />
        ))}
      </DataTable>
    </section>
  )
}
