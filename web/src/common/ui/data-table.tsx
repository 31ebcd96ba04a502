import { Table } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = {
  /** Names the table for screen readers. */
  readonly label: string
  readonly columns: readonly string[]
  /** The rows, as `Table.Tr`. */
  readonly children: ReactNode
}

/** A table that scrolls in its own box where the screen is narrow. */
export function DataTable({ label, columns, children }: Props) {
  return (
    <div className="table-box" role="region" aria-label={label} tabIndex={0}>
      <Table highlightOnHover verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column} scope="col">
                {column}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </div>
  )
}
