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
