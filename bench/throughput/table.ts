import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { run } from '../../scripts/lib/commands.ts'
import { packageBin, ROOT } from '../../scripts/lib/paths.mjs'
import { markdown } from '../support/document.ts'
import { sum } from '../support/figures.ts'
import { SERVICE_PARTS, type PerProcess } from './costs.ts'
import type { Figure } from './figure.ts'
import type { Topic } from './plan.ts'

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

/** How memory changed, in MiB, such as `api 150 -> 152, worker 400 -> 410`. */
const changes = (memory: Figure['memory']): string =>
  Object.entries(memory?.early ?? {})
    .map(([name, mib]) => `${name} ${Math.round(mib)} -> ${Math.round(memory?.late[name] ?? NaN)}`)
    .join(', ')

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
  ['memory after a quarter -> at the end, MiB', ({ memory }) => changes(memory)],
  ['bytes a delivery', ({ bytes }) => shown(bytes)],
  [
    'refused',
    ({ refused = {} }) =>
      Object.entries(refused)
        .map(([status, count]) => `${count} x ${status}`)
        .join(', '),
  ],
  ['lost', ({ lost }) => String(lost ?? '')],
  ['twice', ({ duplicates }) => String(duplicates ?? '')],
]

/** A table of figures, without columns that have no value. */
function renderFigures(figures: readonly Figure[]): string {
  const columns = COLUMNS.filter(
    ([heading, cell]) => heading === '' || figures.some((figure) => cell(figure) !== ''),
  )
  const rows = figures.map((figure) => columns.map(([, cell]) => cell(figure)))
  return markdown([columns.map(([heading]) => heading), ...rows])
}

/** A table of the peak memory of each process in each lane; empty when no process is known. */
function renderPeaks(figures: readonly Figure[]): string {
  const rows = figures.flatMap(({ lane = '', peaks }) => {
    const all = sumOf(peaks)
    if (peaks === undefined || all === undefined) return []
    const mib = [...SERVICE_PARTS.map((name) => peaks[name] ?? 0), all]
    return [[lane, ...mib.map((value) => String(Math.round(value)))]]
  })
  return rows.length === 0 ? '' : markdown([['peak memory, MiB', ...SERVICE_PARTS, 'all'], ...rows])
}

export type TopicResult = {
  /** The machine, and the versions of the servers. */
  readonly machine: string
  readonly date: string
  /** The command that made the figures. */
  readonly command: string
  readonly rounds: number
  /** The length of a phase. */
  readonly seconds: number
  readonly figures: readonly Figure[]
}

/** The figures of a topic as Markdown. */
export const renderTopic = ({ figures }: TopicResult): string =>
  [renderFigures(figures), renderPeaks(figures)].filter(Boolean).join('\n\n')

const FILE = path.join(ROOT, 'docs', 'benchmarks.md')

/**
 * Writes a topic's figures into docs/benchmarks.md, between its markers <!-- bench:topic --> and <!-- /bench:topic -->. Other
 * topics keep theirs, with their own date and command.
 */
export async function writeTopic(topic: Topic, result: TopicResult): Promise<void> {
  const { machine, date, command, rounds, seconds } = result
  const by = `${machine}; ${date}, by \`${command}\`, rounds: ${rounds}, phases of ${seconds} s.`
  const [begin, end] = [`<!-- bench:${topic} -->`, `<!-- /bench:${topic} -->`]
  const document = await readFile(FILE, 'utf8')
  const [from, to] = [document.indexOf(begin), document.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`docs/benchmarks.md has no markers ${begin} and ${end}`)
  const before = document.slice(0, from + begin.length)
  await writeFile(FILE, `${before}\n\n${by}\n\n${renderTopic(result)}\n\n${document.slice(to)}`)
  const { code, output } = await run(packageBin('oxfmt'), [FILE], { cwd: ROOT })
  if (code !== 0) throw new Error(`The formatter refused ${FILE}: ${output}`)
}
