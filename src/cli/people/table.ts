import { colourState, emphasise, textOf, type Style } from './style.ts'

/** A record of a list, as its JSON has it. */
export type Row = Readonly<Record<string, unknown>>

const GAP = '  '

/**
 * Rows below a heading, in aligned columns.
 *
 * @param columns fields of the rows. `health.state` is a field inside another one. `attempts/max_attempts` shows two
 *   fields as `1/6` under the name of the first, and `tries=attempts/max_attempts` shows them under `tries`.
 */
export function tableOf(rows: readonly Row[], columns: readonly string[], style: Style): string {
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

/** An id is of no use unless it is whole. */
const ID = /^[a-z]+_[0-9a-f-]{36}$/
/** A column is made no narrower than this, or than its heading. */
const NARROWEST = 12

/**
 * How wide each column is. Where the table is wider than the terminal, the widest column gives way first, but none that has
 * ids. What is left of too wide a table wraps. Bound: columns × their characters, at most 300 each.
 */
function fittingWidths(
  headings: readonly string[],
  cells: readonly (readonly string[])[],
  width = Infinity,
): number[] {
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
export const hasColumn = (row: Row, column: string): boolean =>
  columnOf(column).fields.some((field) => fieldOf(row, field) !== undefined)

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
