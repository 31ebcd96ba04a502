import { colourState, emphasise, textOf, type Style } from './style.js'

/** A record of a list, as its JSON has it. */
export type Row = Readonly<Record<string, unknown>>

const GAP = '  '

/**
 * Rows below a heading, in aligned columns.
 *
 * @param columns fields of the rows. `health.state` is a field inside another one. `attempts/max_attempts` shows two
 *   fields as `1/6` under the name of the first.
 */
export function tableOf(rows: readonly Row[], columns: readonly string[], style: Style): string {
  if (rows.length === 0) return 'none'
  const headings = columns.map((column) => column.split('/')[0] ?? column)
  const cells = rows.map((row) => columns.map((column) => cellOf(row, column, style)))
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

const cellOf = (row: Row, column: string, style: Style): string =>
  column
    .split('/')
    .map((field) => textOf(fieldOf(row, field), style))
    .join('/')

const fieldOf = (row: Row, field: string): unknown =>
  field.split('.').reduce<unknown>((value, name) => (value as Row | null | undefined)?.[name], row)
