import { UsageError } from '../command.ts'
import { colourState, textOf, emphasise, type Style } from './style.ts'

/** A record of a list, with the fields of its JSON. */
type Row = Readonly<Record<string, unknown>>

/**
 * Formats a result for people. A list becomes a table of the given columns. A record becomes lines of `name: value`,
 * one for each field. Each list in the record, such as the attempts of a delivery, follows as a table. A list that has
 * none of the columns stays on the line of its field.
 *
 * @param result the document that `--json` prints
 * @param deepLists paths of nested lists that also follow as tables, such as `usage.daily`
 */
export function formatForPeople(
  result: unknown,
  columns: readonly string[],
  style: Style,
  deepLists: readonly string[] = [],
): string {
  const record = JSON.parse(JSON.stringify(result)) as Row
  const { data, pagination, search } = record
  if (isList(data)) {
    const lines = [...searchedOf(search as Row | undefined, style), ...moreOf(pagination as Row)]
    return [tableOf(data, columns, style), ...lines].join('\n')
  }
  const lists = listsIn(record, deepLists)
    .map(([name, rows]) => ({ name, rows, shown: columnsIn(rows, columns) }))
    .filter(({ shown }) => shown.length > 0)
  const names = new Set(lists.map(({ name }) => name))
  const rest = Object.entries(flatten(record)).filter(([name]) => !names.has(name))
  const tables = lists.map(({ name, rows, shown }) => `${name}:\n${tableOf(rows, shown, style)}`)
  return [linesOf(rest, style), ...tables].join('\n\n')
}

/**
 * Checks the columns that somebody named. With no rows every column passes.
 *
 * @throws UsageError that names the columns that exist
 */
export function requireColumns(
  result: unknown,
  columns: readonly string[],
  deepLists: readonly string[] = [],
): void {
  const rows = listsIn(JSON.parse(JSON.stringify(result)) as Row, deepLists).flatMap(([, list]) => list)
  const unknown = columns.find((column) => !rows.some((row) => hasColumn(row, column)))
  if (columns.length > 0 && (rows.length === 0 || unknown === undefined)) return
  const known = [...new Set(rows.flatMap((row) => Object.keys(flatten(row))))]
  throw new UsageError(`There is no column "${unknown ?? ''}". There are: ${known.join(', ')}.`)
}

/** The lists of a record that are shown as tables: lists directly in it, and nested lists that `deepLists` names. */
const listsIn = (record: Row, deepLists: readonly string[]): [string, Row[]][] =>
  Object.entries(flatten(record)).filter(
    (entry): entry is [string, Row[]] =>
      isListOfRows(entry[1]) && (Object.hasOwn(record, entry[0]) || deepLists.includes(entry[0])),
  )

const isList = (value: unknown): value is Row[] => Array.isArray(value)

const isListOfRows = (value: unknown): value is Row[] =>
  Array.isArray(value) && typeof value[0] === 'object' && value[0] !== null

/** Returns the entries of `columns` that this list has. `columns` names the columns of all lists of a record. */
const columnsIn = (rows: readonly Row[], columns: readonly string[]): readonly string[] =>
  columns.filter((column) => rows.some((row) => hasColumn(row, column)))

/** How far a search has looked. */
function searchedOf(search: Row | undefined, style: Style): string[] {
  if (!search) return []
  const since = textOf(search['searched_since'] ?? 'the oldest', style)
  return ['', `Looked from ${since} to ${textOf(search['until'], style)}.`]
}

const moreOf = ({ next_cursor: cursor }: Row): string[] =>
  typeof cursor === 'string' ? ['', `There are more: add --cursor ${cursor}`] : []

function linesOf(entries: readonly (readonly [string, unknown])[], style: Style): string {
  const width = Math.max(0, ...entries.map(([name]) => name.length))
  const line = (name: string, value: unknown): string =>
    `${`${name}:`.padEnd(width + 1)} ${colourState(textOf(value, style), style)}`
  return entries.map(([name, value]) => line(name, value)).join('\n')
}

/** `{usage: {day: 1}}` -> `{'usage.day': 1}`. */
const flatten = (record: Row): Row =>
  Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(flatten(value as Row)).map(([inner, leaf]) => [`${name}.${inner}`, leaf])
        : [[name, value]],
    ),
  )

const GAP = '  '

/**
 * A table: rows below a heading, in aligned columns.
 *
 * @param columns fields of the rows. `health.state` is a field inside another one. `attempts/max_attempts` shows two
 *   fields as `1/6` under the name of the first, and `tries=attempts/max_attempts` shows them under `tries`.
 */
function tableOf(rows: readonly Row[], columns: readonly string[], style: Style): string {
  if (rows.length === 0) return 'none'
  const parsed = columns.map(columnOf)
  const headings = parsed.map(({ heading }) => heading)
  const cells = rows.map((row) => parsed.map(({ fields }) => cellOf(row, fields, style)))
  const widths = fittingWidths(headings, cells, style.width)
  const align = (line: readonly string[]): string[] =>
    line.map((cell, index) => cut(cell, widths[index] ?? 0).padEnd(widths[index] ?? 0))
  return [
    emphasise(align(headings).join(GAP).trimEnd(), style),
    ...cells.map((line) =>
      align(line)
        .map((cell) => colourState(cell, style))
        .join(GAP)
        .trimEnd(),
    ),
  ].join('\n')
}

/** An id is useful only as a whole, so its column never shrinks. */
const ID = /^[a-z]+_[0-9a-f-]{36}$/
/** In characters. A column does not shrink below this width, nor below the width of its heading. */
const NARROWEST = 12

/**
 * How wide each column is. Where the table is wider than the terminal, the widest column shrinks first. Columns with
 * ids do not shrink. A table that is still too wide wraps. The loop runs at most once for each character of a column,
 * and textOf limits a text to 300.
 */
function fittingWidths(headings: readonly string[], cells: readonly (readonly string[])[], width = Infinity) {
  const columns = headings.map((heading, index) => {
    const ofColumn = cells.map((line) => line[index] ?? '')
    const whole = Math.max(heading.length, ...ofColumn.map((cell) => cell.length))
    const least = ofColumn.some((cell) => ID.test(cell)) ? whole : Math.max(NARROWEST, heading.length)
    return { width: whole, least }
  })
  let excess = columns.reduce((sum, column) => sum + column.width + GAP.length, -GAP.length) - width
  for (; excess > 0; excess--) {
    const [widest] = columns.filter((column) => column.width > column.least).sort((a, b) => b.width - a.width)
    if (!widest) break
    widest.width -= 1
  }
  return columns.map((column) => column.width)
}

const cut = (cell: string, width: number): string =>
  cell.length > width ? `${cell.slice(0, width - 1)}…` : cell

/** Whether a record has a field of a column. */
const hasColumn = (row: Row, column: string): boolean =>
  columnOf(column).fields.some((field) => fieldOf(row, field) !== undefined)

function columnOf(column: string): { readonly heading: string; readonly fields: readonly string[] } {
  const [heading, named] = column.split('=')
  const fields = (named ?? column).split('/')
  return { heading: (named === undefined ? fields[0] : heading) ?? column, fields }
}

const cellOf = (row: Row, fields: readonly string[], style: Style): string =>
  fields.map((field) => textOf(fieldOf(row, field), style)).join('/')

const fieldOf = (row: Row, field: string): unknown =>
  field.split('.').reduce<unknown>((value, name) => (value as Row | null | undefined)?.[name], row)
