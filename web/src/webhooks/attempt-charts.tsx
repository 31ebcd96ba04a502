import { Stack, Table, Title } from '@mantine/core'
import type { WebhookStats } from '../common/api/wire.ts'
import { causeOfCode } from '../common/format/attempt-hints.ts'
import { inMs } from '../common/format/durations.ts'
import { count, percent, plural } from '../common/format/numbers.ts'
import { Chart } from '../common/ui/chart.tsx'
import { DataTable } from '../common/ui/data-table.tsx'
import { Facts } from '../common/ui/facts.tsx'
import { attemptBars, errorBars, highestOf, slowBars, startText } from './attempt-bars.ts'

/** A percentile. The api knows it to the bound of a bucket. */
const atMost = (ms: number | null): string => (ms === null ? '–' : `at most ${inMs(ms)}`)

/** Volume, error rate and durations: as figures, as charts, and as a table. */
export function AttemptCharts({ stats: { totals, series, unit } }: { stats: WebhookStats }) {
  const [volume, errors, slow] = [attemptBars(series, unit), errorBars(series, unit), slowBars(series, unit)]
  return (
    <Stack>
      <Facts
        facts={[
          ['Attempts', count(totals.attempts)],
          ['Succeeded', percent(totals.successes, totals.attempts)],
          ['Failed', count(totals.failures)],
          ['Half of them took', atMost(totals.p50_ms)],
          ['95 of 100 took', atMost(totals.p95_ms)],
          ['99 of 100 took', atMost(totals.p99_ms)],
        ]}
      />
      <Chart
        title={`Attempts by ${unit}, failed ones in red`}
        highest={count(highestOf(volume))}
        bars={volume}
        summary={`${plural(totals.attempts, 'attempt')}, ${count(totals.failures)} of them failed.`}
      />
      <Chart
        title={`Failed of 100, by ${unit}`}
        highest={`${highestOf(errors)} %`}
        bars={errors}
        format={(value) => `${value} %`}
        summary={`At most ${highestOf(errors)} % of the attempts of ${unit === 'day' ? 'a day' : 'an hour'} failed.`}
      />
      <Chart
        title={`95 of 100 took at most, by ${unit}`}
        highest={inMs(highestOf(slow))}
        bars={slow}
        format={inMs}
        summary={`95 of 100 attempts took at most ${inMs(highestOf(slow))} in the slowest ${unit}.`}
      />
      <Answers totals={totals} />
      <details>
        <summary>The same as a table</summary>
        <DataTable label="Attempts by time" columns={['From', 'Attempts', 'Failed', 'p50', 'p95', 'p99']}>
          {series.toReversed().map((each) => (
            <Table.Tr key={each.starts_at}>
              <Table.Td>{startText(each.starts_at, unit)}</Table.Td>
              <Table.Td className="figures">{count(each.attempts)}</Table.Td>
              <Table.Td className="figures">{count(each.failures)}</Table.Td>
              {[each.p50_ms, each.p95_ms, each.p99_ms].map((ms, index) => (
                <Table.Td key={index} className="figures">
                  {ms === null ? '–' : inMs(ms)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </DataTable>
      </details>
    </Stack>
  )
}

/** Attempts by the class of their status, and by the reason why there was none. */
function Answers({ totals: { attempts, by_class, by_error } }: Pick<WebhookStats, 'totals'>) {
  const rows = [
    ...Object.entries(by_class).map(
      ([name, value]) => [name === 'none' ? 'No answer' : `Answered ${name}`, value] as const,
    ),
    ...Object.entries(by_error).map(
      ([code, value]) => [`No answer, ${code}: ${causeOfCode(code)?.cause ?? ''}`, value] as const,
    ),
  ]
  return (
    <section aria-labelledby="answers">
      <Title order={2} size="h3" id="answers" mb="xs">
        Answers
      </Title>
      <DataTable label="Answers" columns={['Answer', 'Attempts', 'Share']}>
        {rows.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Td>{name}</Table.Td>
            <Table.Td className="figures">{count(value)}</Table.Td>
            <Table.Td className="figures">{percent(value, attempts)}</Table.Td>
          </Table.Tr>
        ))}
      </DataTable>
    </section>
  )
}
