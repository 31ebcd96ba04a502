import { markdown } from '../support/document.ts'
import type { Figure } from './figure.ts'
import { shown, sumOf, type TopicResult } from './table.ts'

/** The lines of the comparison, and the cell of ours from the rows of the topic `deliver` in one lane. */
const LINES: readonly (readonly [name: string, ours: (find: Find) => string])[] = [
  ['accepted and delivered /s', (find) => rate(find('end to end'))],
  ['deliveries /s, fan-out 10', (find) => rate(find('fan-out 10, deliveries'))],
  ['every fifth event fails once, deliveries /s', (find) => rate(find('every fifth event fails once'))],
  ['accept p50/p99 ms at 200/s', (find) => times(find('open loop, 200/s'), 'acceptMs')],
  ['sent -> received p50/p99 ms at 200/s', (find) => times(find('open loop, 200/s'), 'receivedMs')],
  ['CPU s per 1,000 events at 200/s', (find) => cpu(find('open loop, 200/s'))],
  ['CPU s per 1,000 events, burst', (find) => cpu(find('end to end'))],
  ['the first 6,000 events after boot, /s', (find) => rate(find('cold start, the first 6,000 events'))],
  ['peak memory without Temporal, MiB', (find) => shown(memory(find('end to end')))],
]

type Find = (what: string) => Figure | undefined

/** A name and a cell for each line. */
type Column = readonly string[]

/** What two other services did on 2026-11-24, on the same two quiet cores: see docs/benchmarks.md, below the table. */
const PEERS: readonly Column[] = [
  [
    'Svix 1.100 (Rust, PostgreSQL, Redis)',
    ...['764-792', '2,184-2,731', '554-661', '1.7/5.6', '2.3/7.4', '2.84', '2.1', '887', '392-850'],
  ],
  [
    'Outpost 1.2 (Go, RabbitMQ, PostgreSQL, Redis)',
    ...['1,418', '1,590-1,839', '657-711', '2.1/10', '31/57', '2.79', '1.14', '1,193', '462-870'],
  ],
]

/** A column for each lane of what the topic `deliver` gave, with endpoints that answer at once. */
export function describeOurs({ figures, date }: TopicResult): Column[] {
  const lanes = [...new Set(figures.flatMap(({ lane }) => lane ?? []))]
  return lanes.map((lane) => {
    const find: Find = (what) =>
      figures.find((figure) => figure.lane === lane && figure.what === what && !figure.receiverMs)
    return [`this version, ${date} (${lane} lane)`, ...LINES.map(([, ours]) => ours(find))]
  })
}

const isReached = (figure: Figure | undefined): boolean => figure !== undefined && figure.cannot === undefined

const rate = (figure: Figure | undefined): string =>
  isReached(figure) ? shown(figure?.perSecond) : (figure?.cannot ?? '')

const times = (figure: Figure | undefined, field: 'acceptMs' | 'receivedMs'): string =>
  isReached(figure) ? `${shown(figure?.[field]?.p50)}/${shown(figure?.[field]?.p99)}` : 'cannot'

const cpu = (figure: Figure | undefined): string => (isReached(figure) ? shown(sumOf(figure?.cpu)) : 'cannot')

/** The lane's first figure has the peaks of all of its phases. */
const memory = (figure: Figure | undefined): number | undefined =>
  figure?.peaks && (sumOf(figure.peaks) ?? 0) - (figure.peaks['temporal'] ?? 0)

/** Markdown. */
export function renderPeers(ours: readonly Column[]): string {
  const columns = [['', ...LINES.map(([name]) => name)], ...ours, ...PEERS]
  return markdown(['', ...LINES].map((_, line) => columns.map((column) => column[line] ?? '')))
}
