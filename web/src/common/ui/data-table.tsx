import { createContext, use, type MouseEvent, type ReactNode } from 'react'

/** A column: its heading, or the heading with options. */
export type Column =
  | string
  | {
      readonly name: string
      /** Whether it has numbers, which stand at the right. */
      readonly isFigure?: true
      /** Whether the heading is for screen readers only, above boxes or buttons. */
      readonly isControl?: true
      /** Whether the column is hidden on a tablet. The page of each row shows its content. */
      readonly isSpare?: true
      /** A fixed width, independent of the cells. Columns without one share the rest. See tables.css. */
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
  /** Whether each row has two lines. */
  readonly isTall?: boolean
  /** The rows, made with `Row`. */
  readonly children: ReactNode
}

/**
 * A table. If the window is narrower than 700 px, each row is a card, and each line of the card has the name of its column.
 * It uses plain elements, because a list of a hundred rows has a thousand cells.
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

/** A child with a tooltip lies above the link of its row. A click on the child still follows the link. */
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

/**
 * A row of a DataTable, with one cell for each column. If one cell has a link with `isRow`, a click anywhere in the row
 * follows it.
 */
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
