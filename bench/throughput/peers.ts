import { markdown } from '../support/document.ts'
import { shown, sumOf, type TopicResult } from './table.ts'

const LINES = [
  'accepted and delivered /s',
  'deliveries /s, fan-out 10',
  'accept p50/p99 ms at 20/s; at 200/s',
  'sent -> received p50/p99 ms at 20/s; at 200/s',
  'CPU s per 1,000 events, burst',
  'peak memory, MiB',
]

/** A name and a cell for each line. */
type Column = readonly string[]

/**
 * What two other services and our first release did, measured on 2026-11-21 on the same two quiet cores: see
 * docs/benchmarks.md, below the table.
 */
const PEERS: readonly Column[] = [
  [
    'ours v0.1.0 (workflow lane)',
    '34.5 (accepting meanwhile 156)',
    '49',
    '9.1/151; cannot',
    '36/298; cannot',
    '51.8 (Temporal 24, worker 20, MariaDB 4, api 3.7)',
    '1,229 (worker 587, Temporal 352)',
  ],
  [
    'Svix 1.100 (Rust, PostgreSQL, Redis)',
    ...['1,056', '3,388', '3.6/7.7; 1.9/4.3', '4.2/10; 2.4/5.5', '1.57', '402'],
  ],
  [
    'Outpost 1.2 (Go, RabbitMQ, PostgreSQL, Redis)',
    ...['1,373', '1,620', '3.0/7.4; 1.9/7.4', '22/55; 30/55', '1.17', '415'],
  ],
]

/** A column for each lane of what the topic `deliver` gave, with endpoints that answer at once. */
export function describeOurs({ figures, date, peaks }: TopicResult): Column[] {
  const lanes = [...new Set(figures.flatMap(({ lane }) => lane ?? []))]
  return lanes.map((lane) => {
    const find = (what: string) =>
      figures.find((figure) => figure.lane === lane && figure.what === what && !figure.receiverMs)
    const burst = find('end to end')
    const times = (field: 'acceptMs' | 'receivedMs') =>
      [20, 200]
        .map((rate) => find(`open loop, ${rate}/s`))
        .map((figure) =>
          figure === undefined || figure.cannot !== undefined
            ? 'cannot'
            : `${shown(figure[field]?.p50)}/${shown(figure[field]?.p99)}`,
        )
        .join('; ')
    return [
      `this version, ${date} (${lane} lane)`,
      `${shown(burst?.perSecond) || 'cannot'} (accepting meanwhile ${shown(burst?.acceptPerSecond)})`,
      shown(find('fan-out 10, deliveries')?.perSecond) || 'cannot',
      times('acceptMs'),
      times('receivedMs'),
      shown(sumOf(burst?.cpu)),
      shown(sumOf(burst?.peaks ?? peaks)),
    ]
  })
}

/** Markdown. */
export function renderPeers(ours: readonly Column[]): string {
  const columns = [['', ...LINES], ...ours, ...PEERS]
  return markdown(['', ...LINES].map((_, line) => columns.map((column) => column[line] ?? '')))
}
