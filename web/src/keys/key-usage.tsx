import { Stack, Title } from '@mantine/core'
import type { Key, RecentUse } from '../common/api/wire.ts'
import { linearScale, shortCount } from '../common/chart/scale.ts'
import { TimeChart } from '../common/chart/time-chart.tsx'
import { count } from '../common/format/numbers.ts'
import { useSession } from '../common/session/context.ts'
import { useOne } from '../common/session/queries.ts'
import { DataTable, Row } from '../common/ui/data-table.tsx'
import { EmptyState } from '../common/ui/empty-state.tsx'
import { Figures } from '../common/ui/figures.tsx'
import { Loaded } from '../common/ui/loaded.tsx'
import { When } from '../common/ui/when.tsx'
import { isAlive } from './key-access.ts'
import { texts } from './texts.ts'

/** How often the usage of an open key is read again. */
const READ_EVERY_MS = 15_000

/** How often, for what, and from where the key was used. Days, weeks and months are in UTC. */
export function KeyUsage({ apiKey }: { apiKey: Key }) {
  return apiKey.last_used_at === null && apiKey.request_count === 0 ? (
    <Unused apiKey={apiKey} />
  ) : (
    <Used apiKey={apiKey} />
  )
}

/** A key that was never used has no figures. Instead it shows how to make the first request. */
function Unused({ apiKey }: { apiKey: Key }) {
  const { settings } = useSession()
  return (
    <EmptyState
      title={texts.unused}
      {...(isAlive(apiKey) && {
        curl: `curl -H 'Authorization: Bearer <this key>' ${settings.public_url}/api-v1-me`,
      })}
    >
      {texts.unusedMeans}
    </EmptyState>
  )
}

function Used({ apiKey }: { apiKey: Key }) {
  const reading = useOne<RecentUse>(`/keys/${apiKey.id}/recent-use`, { everyMs: READ_EVERY_MS })
  return (
    <Loaded reading={reading}>
      {({ item }) => (
        <Stack gap="xl">
          <UsageFigures apiKey={apiKey} lastHour={item.last_hour} />
          <ResponseChart daily={item.daily} />
          <div className="beside">
            <Latest
              title={texts.endpoints}
              column={texts.endpoint}
              none={texts.noEndpoint}
              used={item.endpoints.map(({ method, path, last_used_at: at }) => ({
                name: `${method} ${path}`,
                at,
              }))}
            />
            <Latest
              title={texts.fromAddresses}
              column={texts.address}
              none={texts.noAddress}
              used={item.addresses.map(({ address, last_used_at: at }) => ({ name: address, at }))}
            />
          </div>
        </Stack>
      )}
    </Loaded>
  )
}

const UsageFigures = ({ apiKey: { usage, ...key }, lastHour }: { apiKey: Key; lastHour: number }) => (
  <Figures
    figures={[
      { name: texts.lastHour, value: count(lastHour) },
      { name: texts.todayUtc, value: count(usage.day) },
      { name: texts.thisWeek, value: count(usage.week) },
      { name: texts.thisMonth, value: count(usage.month) },
      { name: texts.total, value: count(key.request_count) },
      {
        name: texts.lastUsed,
        isText: true,
        value: <When at={key.last_used_at} none={texts.never} />,
        note:
          key.last_used_ip === null ? texts.noAddressYet : texts.fromAddress({ address: key.last_used_ip }),
      },
    ]}
  />
)

type Days = RecentUse['daily']

/** Requests by day, stacked by the class of the status. Requests without a known response appear only if there are some. */
function ResponseChart({ daily }: { daily: Days }) {
  const busiest = [...daily].sort((a, b) => b.requests - a.requests)[0]
  const sum = (of: (day: Days[number]) => number) => daily.reduce((total, day) => total + of(day), 0)
  const total = sum(({ requests }) => requests)
  if (total === 0 || !busiest) return <p className="chart-empty">{texts.noRequest}</p>
  const failed = {
    clientErrors: sum((day) => day.responses_4xx),
    serverErrors: sum((day) => day.responses_5xx),
  }
  const series = [
    { name: '2xx', color: 'var(--chart-good)', values: daily.map((day) => day.responses_2xx) },
    { name: '4xx', color: 'var(--chart-2)', values: daily.map((day) => day.responses_4xx) },
    { name: '5xx', color: 'var(--chart-bad)', values: daily.map((day) => day.responses_5xx) },
  ]
  if (daily.every((day) => withoutResponse(day) === day.requests))
    return <p className="chart-empty">{texts.noClassKnown({ requests: total })}</p>
  const unknown = { name: texts.unknown, color: 'var(--border-strong)', values: daily.map(withoutResponse) }
  return (
    <TimeChart
      title={texts.requestsByDay}
      kind="bars"
      unit="day"
      starts={daily.map(({ date }) => `${date}T00:00:00.000Z`)}
      series={unknown.values.some((requests) => requests > 0) ? [...series, unknown] : series}
      scale={linearScale(busiest.requests)}
      format={count}
      axis={shortCount}
      summary={texts.usageSummary({ sum: total, day: busiest.date, most: busiest.requests, ...failed })}
    />
  )
}

/** Requests whose response was not counted: they are under way, or came before responses were counted. */
const withoutResponse = (day: Days[number]): number =>
  Math.max(0, day.requests - day.responses_2xx - day.responses_4xx - day.responses_5xx)

type LatestProps = {
  readonly title: string
  readonly column: string
  readonly none: string
  readonly used: readonly { readonly name: string; readonly at: string }[]
}

/** The latest endpoints or addresses, at most 20. */
const Latest = ({ title, column, none, used }: LatestProps) => (
  <section>
    <Title order={2} mb="xs">
      {title}
    </Title>
    {used.length === 0 ? (
      <p className="quiet">{none}</p>
    ) : (
      <DataTable label={title} columns={[column, texts.lastUsed]}>
        {used.map(({ name, at }) => (
          <Row
            key={name}
            cells={[
              <span key="name" className="mono">
                {name}
              </span>,
              <When key="at" at={at} />,
            ]}
          />
        ))}
      </DataTable>
    )}
  </section>
)
