import { UsageError } from '../command.ts'
import { colourState, textOf, type Style } from './style.ts'
import { hasColumn, tableOf, type Row } from './table.ts'

/**
 * A result for people. A list is a table of the given columns. A record has one `name: value` a line; the list in it, such
 * as the attempts of a delivery, follows as a table.
 *
 * @param result the document that `--json` prints
 */
export function formatForPeople(result: unknown, columns: readonly string[], style: Style): string {
  const record = JSON.parse(JSON.stringify(result)) as Row
  const { data, pagination, search } = record
  if (isList(data)) {
    const lines = [...searchedOf(search as Row | undefined, style), ...moreOf(pagination as Row)]
    return [tableOf(data, columns, style), ...lines].join('\n')
  }
  const lists = Object.entries(record).filter((entry): entry is [string, Row[]] => isListOfRows(entry[1]))
  const rest = Object.entries(record).filter(([, value]) => !isListOfRows(value))
  const tables = lists.map(([name, rows]) => `${name}:\n${tableOf(rows, columnsIn(rows, columns), style)}`)
  return [linesOf(Object.fromEntries(rest), style), ...tables].join('\n\n')
}

/**
 * Checks the columns that somebody named. With no rows every column passes.
 *
 * @throws UsageError that names those there are
 */
export function requireColumns(result: unknown, columns: readonly string[]): void {
  const rows = rowsOf(JSON.parse(JSON.stringify(result)) as Row)
  const unknown = columns.find((column) => !rows.some((row) => hasColumn(row, column)))
  if (columns.length > 0 && (rows.length === 0 || unknown === undefined)) return
  const known = [...new Set(rows.flatMap((row) => Object.keys(flatten(row))))]
  throw new UsageError(`There is no column "${unknown ?? ''}". There are: ${known.join(', ')}.`)
}

const rowsOf = (record: Row): Row[] => Object.values(record).filter(isListOfRows).flat()

const isList = (value: unknown): value is Row[] => Array.isArray(value)

const isListOfRows = (value: unknown): value is Row[] =>
  Array.isArray(value) && typeof value[0] === 'object' && value[0] !== null

/** Of the columns of all lists in a record, those that this list has. */
const columnsIn = (rows: readonly Row[], columns: readonly string[]): readonly string[] =>
  columns.filter((column) => rows.some((row) => hasColumn(row, column)))

/** How far a search has looked. */
const searchedOf = (search: Row | undefined, style: Style): string[] =>
  search
    ? [
        '',
        `Looked from ${textOf(search['searched_since'] ?? 'the oldest', style)} to ${textOf(search['until'], style)}.`,
      ]
    : []

const moreOf = ({ next_cursor: cursor }: Row): string[] =>
  typeof cursor === 'string' ? ['', `There are more: add --cursor ${cursor}`] : []

function linesOf(record: Row, style: Style): string {
  const entries = Object.entries(flatten(record))
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
