import { Table } from '@mantine/core'
import type { Notice } from '../common/api/wire.ts'
import { DataTable } from '../common/ui/data-table.tsx'
import { ForeignText } from '../common/ui/foreign-text.tsx'
import { Status } from '../common/ui/status.tsx'
import { TextLink } from '../common/ui/text-link.tsx'
import { When } from '../common/ui/when.tsx'
import { NOTICE_KINDS, placeOf } from './notice-kinds.ts'

export function NoticeRows({ notices }: { notices: readonly Notice[] }) {
  return (
    <DataTable label="Notices" columns={['When', 'What', 'In words', 'Where']}>
      {notices.map((notice) => {
        const [tone, name] = NOTICE_KINDS[notice.kind]
        const [href, link] = placeOf(notice)
        return (
          <Table.Tr key={notice.id}>
            <Table.Td>
              <When at={notice.created_at} />
            </Table.Td>
            <Table.Td>
              <Status tone={tone}>{name}</Status>
            </Table.Td>
            <Table.Td miw={260}>
              <ForeignText text={notice.message} limit={400} />
            </Table.Td>
            <Table.Td>
              <TextLink href={href}>{link}</TextLink>
            </Table.Td>
          </Table.Tr>
        )
      })}
    </DataTable>
  )
}
