import { createContext, use, type ReactNode } from 'react'

/** A column: its heading, whether its figures stand at the right, or whether it has boxes or buttons that need no heading in view. */
export type Column =
  | string
  | { readonly name: string; readonly isFigure: true; readonly isSpare?: true }
  | { readonly name: string; readonly isControl: true }
  /** Not there on a tablet: the page of each row has it. */
  | { readonly name: string; readonly isSpare: true }

const nameOf = (column: Column | undefined): string =>
  typeof column === 'string' ? column : (column?.name ?? '')
const isControl = (column: Column | undefined) => typeof column === 'object' && 'isControl' in column
const sideOf = (column: Column | undefined) =>
  typeof column !== 'object'
    ? {}
    : {
        ...('isSpare' in column && { 'data-spare': true }),
        ...(isControl(column) && { 'data-side': 'control' }),
        ...('isFigure' in column && { 'data-side': 'right' }),
      }

const ColumnsContext = createContext<readonly Column[]>([])

type Props = {
  /** Names the table for screen readers. */
  readonly label: string
  readonly columns: readonly Column[]
  /** Two lines in each row. */
  readonly isTall?: boolean
  /** The rows, as `Row`. */
  readonly children: ReactNode
}

/**
 * A table. Below 700 px of width each row is a card whose lines have the names of the columns. Plain elements: a list of a hundred rows
 * has a thousand cells.
 */
export function DataTable({ label, columns, isTall = false, children }: Props) {
  return (
    <div className="table-box" role="region" aria-label={label} tabIndex={0}>
      <table className="table" data-tall={isTall || undefined}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={nameOf(column)} scope="col" {...sideOf(column)}>
                <span className={isControl(column) ? 'visually-hidden' : undefined}>{nameOf(column)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <ColumnsContext value={columns}>{children}</ColumnsContext>
        </tbody>
      </table>
    </div>
  )
}

/** A row of a DataTable: a cell for each column. A link with `isRow` in one of them opens it from anywhere in the row. */
export function Row({ cells }: { cells: readonly ReactNode[] }) {
  const columns = use(ColumnsContext)
  return (
    <tr>
      {cells.map((cell, index) => (
        <td key={nameOf(columns[index])} data-label={nameOf(columns[index])} {...sideOf(columns[index])}>
          {cell}
        </td>
      ))}
    </tr>
  )
}
