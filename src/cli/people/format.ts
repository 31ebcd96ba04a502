import { colourState, emphasise, textOf, type Style } from './style.ts'

/**
 * A result for people. A list is a table of the given columns. A record has one `name: value` a line; the list in it, such
 * as the attempts of a delivery, follows as a table.
 *
 * @param result the document that `--json` prints
 */
export function formatForPeople(result: unknown, columns: readonly string[], style: Style): string {
  const record = JSON.parse(JSON.stringify(result)) as Row
  const { data, pagination } = record
  if (isList(data)) return [tableOf(data, columns, style), ...moreOf(pagination as Row)].join('\n')
  const lists = Object.entries(record).filter((entry): entry is [string, Row[]] => isListOfRows(entry[1]))
  const rest = Object.entries(record).filter(([, value]) => !isListOfRows(value))
  const tables = lists.map(([name, rows]) => `${name}:\n${tableOf(rows, columns, style)}`)
  return [linesOf(Object.fromEntries(rest), style), ...tables].join('\n\n')
}

const isList = (value: unknown): value is Row[] => Array.isArray(value)

const isListOfRows = (value: unknown): value is Row[] =>
  Array.isArray(value) && typeof value[0] === 'object' && value[0] !== null

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

/** A record of a list, as its JSON has it. */
type Row = Readonly<Record<string, unknown>>

const GAP = '  '

/**
 * Rows below a heading, in aligned columns.
 *
 * @param columns fields of the rows. `health.state` is a field inside another one. `attempts/max_attempts` shows two
 *   fields as `1/6` under the name of the first, and `tries=attempts/max_attempts` shows them under `tries`.
 */
function tableOf(rows: readonly Row[], columns: readonly string[], style: Style): string {
  if (rows.length === 0) return 'none'
  const parsed = columns.map(columnOf)
  const headings = parsed.map(({ heading }) => heading)
  const cells = rows.map((row) => parsed.map(({ fields }) => cellOf(row, fields, style)))
  const widths = headings.map((heading, index) =>
    Math.max(heading.length, ...cells.map((line) => line[index]?.length ?? 0)),
  )
  const align = (line: readonly string[]): string[] =>
    line.map((cell, index) => cell.padEnd(widths[index] ?? 0))
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

type Column = { readonly heading: string; readonly fields: readonly string[] }

function columnOf(column: string): Column {
  const [heading, named] = column.split('=')
  const fields = (named ?? column).split('/')
  return { heading: (named === undefined ? fields[0] : heading) ?? column, fields }
}

const cellOf = (row: Row, fields: readonly string[], style: Style): string =>
  fields.map((field) => textOf(fieldOf(row, field), style)).join('/')

const fieldOf = (row: Row, field: string): unknown =>
  field.split('.').reduce<unknown>((value, name) => (value as Row | null | undefined)?.[name], row)
