import { createContext, use, type MouseEvent, type ReactNode } from 'react'

/** A column: its heading, or more than that. */
export type Column =
  | string
  | {
      readonly name: string
      /** Its figures stand at the right. */
      readonly isFigure?: true
      /** Boxes or buttons, which need no heading in view. */
      readonly isControl?: true
      /** Not there on a tablet: the page of each row has it. */
      readonly isSpare?: true
      /** Its width, whatever its cells hold; columns without one share the rest. See tables.css. */
      readonly width?: 'state' | 'event' | 'webhook' | 'response' | 'figure' | 'time'
    }

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
const widthOf = (column: Column) => (typeof column === 'object' ? column.width : undefined)

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
      <table
        className="table"
        data-tall={isTall || undefined}
        data-fixed={columns.some(widthOf) || undefined}
        onClick={followRow}
      >
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={nameOf(column)} scope="col" data-width={widthOf(column)} {...sideOf(column)}>
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

/** What has a hint of its own lies above the link of its row, and a click on it follows that link all the same. */
function followRow({ target, ctrlKey, metaKey, shiftKey }: MouseEvent): void {
  if (!(target instanceof Element) || target.closest('a, button, input, label')) return
  const click = new globalThis.MouseEvent('click', {
    bubbles: true,
    cancelable: true,
    ctrlKey,
    metaKey,
    shiftKey,
  })
  if (getSelection()?.isCollapsed !== false)
    target.closest('tr')?.querySelector('.row-link')?.dispatchEvent(click)
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
