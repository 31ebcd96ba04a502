import { markdown, median, sum, type Times } from '../support/figures.ts'
import type { Costs, PerProcess } from './costs.ts'
import type { Topic } from './plan.ts'

/** What one phase measured. */
export type Figure = Partial<Costs> & {
  readonly what: string
  /** Who makes the first attempt. */
  readonly lane?: string
  readonly webhooks?: number
  /** How long an endpoint takes to answer. */
  readonly receiverMs?: number
  /** Accepted events. */
  readonly events?: number
  /** Events a second, or deliveries with a fan-out; undefined when the rate cannot be reached. */
  readonly perSecond?: number
  /** Events accepted a second, meanwhile. */
  readonly acceptPerSecond?: number
  /** Times from a request to its answer. */
  readonly acceptMs?: Times
  /** Times from sending an event to its first arrival at an endpoint. */
  readonly receivedMs?: Times
  /** Deliveries of accepted events that did not arrive (accept: that have no row). */
  readonly lost?: number
  /** Arrivals after one that was answered with 2xx. */
  readonly duplicates?: number
  /** Requests by status; 0 is a connection that ended. */
  readonly refused?: Readonly<Record<string, number>>
  /** MiB, early and late in the phase. */
  readonly memory?: { readonly early: PerProcess; readonly late: PerProcess }
  /** Bytes in the database for one delivery, with its event, its attempts and their indexes. */
  readonly bytes?: number
  /** Peak memory of each process in the lane. Only the lane's first figure has it. */
  readonly peaks?: PerProcess
  /** Why there is no figure, such as how far the phase came. */
  readonly cannot?: string
}

/** Summed over the rounds: a single lost delivery must show. */
const SUMMED = new Set(['lost', 'duplicates', 'events', 'lockWaits'])

/** Merges the same value of every round: medians or sums of numbers, and of a text the first. */
function merge(name: string, values: readonly unknown[]): unknown {
  const there: readonly unknown[] = values.filter((value) => value !== undefined)
  const [first] = there
  if (typeof first === 'number') return (SUMMED.has(name) ? sum : median)(there as readonly number[])
  if (typeof first !== 'object') return first
  const objects = there as readonly Readonly<Record<string, unknown>>[]
  const names = new Set(objects.flatMap((value) => Object.keys(value)))
  const ofAll = (each: string) => objects.map((value) => value[each])
  return Object.fromEntries([...names].map((each) => [each, merge(each, ofAll(each))]))
}

/** Merges each figure over the rounds in which it was measured. A figure that failed in one round says so. */
export const mergeRounds = ([first = [], ...others]: readonly (readonly Figure[])[]): Figure[] =>
  first.map((figure, index) => merge('', [figure, ...others.map((round) => round[index])]) as Figure)

/** What each topic that was measured gave. */
export type Results = Partial<Record<Topic, { readonly figures: readonly Figure[] }>>

/** Finds what went wrong: losses and duplicates, and in a quick run ratios that are too low. */
export function findFaults(results: Results, { isQuick }: { isQuick: boolean }): string[] {
  const faults: string[] = []
  for (const [topic, { figures }] of Object.entries(results))
    for (const { what, lost = 0, duplicates = 0 } of figures)
      if (lost + duplicates > 0) faults.push(`${topic}, ${what}: ${lost} lost, ${duplicates} twice`)
  if (!isQuick) return faults
  const rate = (topic: Topic, named: RegExp) =>
    results[topic]?.figures.find(({ what }) => named.test(what))?.perSecond ?? NaN
  const single = rate('accept', /^single, 32 /)
  const endToEnd = rate('deliver', /^end to end$/)
  /** They hold on any machine, however busy, with wide margins: each compares two figures of the same run. */
  const ratios: [says: string, ratio: number, least: number][] = [
    ['a batch of 100 is accepted faster than single events', rate('accept', /^batches/) / single, 1.5],
    ['many connections are not slower than one', single / rate('accept', /^single, 1 /), 0.5],
    ['accepting is not far below a bare Koa', single / rate('floors', /Koa/), 0.003],
    ['deliveries are not far below bare workflows', endToEnd / rate('floors', /^workflows/), 0.1],
  ]
  for (const [says, ratio, least] of ratios)
    if (ratio < least)
      faults.push(`${says}: the ratio is ${ratio.toFixed(3)}, at least ${least} was expected`)
  return faults
}

/** The processes of the service, whose cost is shown. */
const SERVICE_PARTS = ['api', 'worker', 'database', 'temporal'] as const

/** A number with about three digits that matter; empty without a value. */
function shown(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return ''
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

/** Joins numbers, such as 3.6/7.7; empty without any value. */
const joined = (...values: (number | undefined)[]): string =>
  values.every((value) => value === undefined) ? '' : values.map((value) => shown(value) || '–').join('/')

/** The sum over the processes of the service; undefined when none is known. */
function sumOf(values: PerProcess = {}): number | undefined {
  const known = SERVICE_PARTS.flatMap((name) => values[name] ?? [])
  return known.length === 0 ? undefined : sum(known.map((value) => Math.max(0, value)))
}

/** Lists named numbers, such as `api 150 -> 152, worker 400 -> 410`. */
const listed = (values: PerProcess = {}, show: (name: string, value: number) => string): string =>
  Array.from(Object.entries(values), ([name, value]) => show(name, value)).join(', ')

/** How memory changed, in MiB. */
const changes = ({ early, late }: NonNullable<Figure['memory']>): string =>
  listed(early, (name, mib) => `${name} ${Math.round(mib)} -> ${Math.round(late[name] ?? NaN)}`)

const COLUMNS: readonly (readonly [heading: string, cell: (figure: Figure) => string])[] = [
  ['', ({ what }) => what],
  ['lane', ({ lane }) => lane ?? ''],
  ['webhooks', ({ webhooks }) => String(webhooks ?? '')],
  ['receiver', ({ receiverMs }) => (receiverMs === undefined ? '' : `${receiverMs} ms`)],
  ['events', ({ events }) => events?.toLocaleString('en-US') ?? ''],
  ['/s', ({ perSecond, cannot }) => (cannot === undefined ? shown(perSecond) : `cannot: ${cannot}`)],
  ['accepting /s', ({ acceptPerSecond }) => shown(acceptPerSecond)],
  ['accept p50/p99 ms', ({ acceptMs: ms }) => joined(ms?.p50, ms?.p99)],
  ['sent -> received p50/p95/p99 ms', ({ receivedMs: ms }) => joined(ms?.p50, ms?.p95, ms?.p99)],
  ['CPU s per 1,000', ({ cpu }) => shown(sumOf(cpu))],
  ['api/worker/database/Temporal', ({ cpu }) => joined(...SERVICE_PARTS.map((name) => cpu?.[name]))],
  ['statements, wake-ups an event', ({ statements, wakeUps }) => joined(statements, wakeUps)],
  ['lock waits', ({ lockWaits }) => String(lockWaits ?? '')],
  ['memory after a quarter -> at the end, MiB', ({ memory }) => (memory ? changes(memory) : '')],
  ['bytes a delivery', ({ bytes }) => shown(bytes)],
  ['refused', ({ refused }) => listed(refused, (status, count) => `${count} x ${status}`)],
  ['lost', ({ lost }) => String(lost ?? '')],
  ['twice', ({ duplicates }) => String(duplicates ?? '')],
]

/** The figures of a topic as Markdown, without columns that have no value. A second table has the peaks of each lane. */
export function renderTopic(figures: readonly Figure[]): string {
  const columns = COLUMNS.filter(([heading, cell]) => heading === '' || figures.some((each) => cell(each)))
  const rows = figures.map((figure) => columns.map(([, cell]) => cell(figure)))
  const peaks = figures.flatMap(({ lane = '', peaks: own }) => {
    const mib = [...SERVICE_PARTS.map((name) => own?.[name]), sumOf(own)]
    return own ? [[lane, ...mib.map((value = 0) => String(Math.round(value)))]] : []
  })
  const table = markdown([columns.map(([heading]) => heading), ...rows])
  return `${table}\n\n${markdown([['peak memory, MiB', ...SERVICE_PARTS, 'all'], ...peaks])}`
}
