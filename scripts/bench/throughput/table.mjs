import { SERVICE_PARTS } from './processes.mjs'

/** @typedef {import('./figure.mjs').Figure} Figure */

/** @param {number | null | undefined} value @returns {string} with as many digits as say something; empty without a value */
export function shown(value) {
  if (value == null || Number.isNaN(value)) return ''
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

/** @param {(number | null | undefined)[]} values @returns {string} such as 3.6/7.7 */
const joined = (...values) =>
  values.every((value) => value == null) ? '' : values.map((value) => shown(value) || '–').join('/')

/** @param {Figure} figure @returns {number | undefined} of all processes of the service together */
export const cpuOf = ({ cpu }) =>
  cpu && SERVICE_PARTS.some((name) => cpu[name] !== undefined) ? sumOf(cpu) : undefined

/** @param {import('./processes.mjs').PerProcess} values @returns {number} of the service's processes together */
export const sumOf = (values) => SERVICE_PARTS.reduce((sum, name) => sum + Math.max(0, values[name] ?? 0), 0)

/** @param {Figure['memory']} memory @returns {string} such as api 150 -> 152, worker 400 -> 410 */
const changes = (memory) =>
  Object.entries(memory?.early ?? {})
    .map(([name, mib]) => `${name} ${Math.round(mib)} -> ${Math.round(memory?.late[name] ?? NaN)}`)
    .join(', ')

/** @param {Figure['refused']} refused @returns {string} such as 3 x 503 */
const counts = (refused) =>
  Object.entries(refused ?? {})
    .map(([status, count]) => `${count} x ${status}`)
    .join(', ')

/** @type {readonly (readonly [heading: string, cell: (figure: Figure) => string])[]} */
const COLUMNS = [
  ['', ({ what }) => what],
  ['lane', ({ lane }) => lane ?? ''],
  ['webhooks', ({ webhooks }) => String(webhooks ?? '')],
  ['receiver', ({ receiverMs }) => (receiverMs === undefined ? '' : `${receiverMs} ms`)],
  ['events', ({ events }) => events?.toLocaleString('en-US') ?? ''],
  ['/s', ({ perSecond, cannot }) => (cannot === undefined ? shown(perSecond) : `cannot: ${cannot}`)],
  ['accepting /s', ({ acceptPerSecond }) => shown(acceptPerSecond)],
  ['accept p50/p99 ms', ({ acceptMs }) => joined(acceptMs?.p50, acceptMs?.p99)],
  ['sent -> received p50/p95/p99 ms', ({ receivedMs: ms }) => joined(ms?.p50, ms?.p95, ms?.p99)],
  ['CPU s per 1,000', (figure) => shown(cpuOf(figure))],
  [
    'api/worker/database/Temporal',
    ({ cpu }) => joined(...(cpu ? SERVICE_PARTS.map((name) => cpu[name]) : [])),
  ],
  ['memory after a quarter -> at the end, MiB', ({ memory }) => changes(memory)],
  ['refused', ({ refused }) => counts(refused)],
  ['lost', ({ lost }) => String(lost ?? '')],
  ['twice', ({ duplicates }) => String(duplicates ?? '')],
]

/** @param {readonly Figure[]} figures @returns {string} Markdown; columns without any value are left out */
export function renderTable(figures) {
  const columns = COLUMNS.filter(
    ([heading, cell]) => heading === '' || figures.some((figure) => cell(figure) !== ''),
  )
  const rows = [
    columns.map(([heading]) => heading),
    ...figures.map((figure) => columns.map(([, cell]) => cell(figure))),
  ]
  const widths = columns.map((_, index) => Math.max(3, ...rows.map((row) => row[index]?.length ?? 0)))
  const lines = rows.map(
    (row) => `| ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`,
  )
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [lines[0], rule, ...lines.slice(1)].join('\n')
}

/**
 * @param {import('./processes.mjs').PerProcess} peaks of the whole topic, MiB
 * @param {readonly import('./figure.mjs').Figure[]} figures of the topic; where lanes have peaks of their own, a row for each
 * @returns {string} Markdown; empty when no process is known
 */
export function renderPeaks(peaks, figures) {
  const ofLanes = figures.flatMap(({ lane = '', peaks: own }) => (own ? [{ lane, peaks: own }] : []))
  const rows = ofLanes.length > 0 ? ofLanes : [{ lane: '', peaks }]
  if (rows.every((row) => Object.keys(row.peaks).length === 0)) return ''
  const cellsOf = (/** @type {import('./processes.mjs').PerProcess} */ own) =>
    [...SERVICE_PARTS.map((name) => own[name]), sumOf(own)].map((mib) => Math.round(mib ?? 0))
  return [
    `| peak memory, MiB | ${SERVICE_PARTS.join(' | ')} | all |`,
    `|${' --- |'.repeat(SERVICE_PARTS.length + 2)}`,
    ...rows.map((row) => `| ${row.lane} | ${cellsOf(row.peaks).join(' | ')} |`),
  ].join('\n')
}
