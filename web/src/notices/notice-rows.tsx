import { Table } from '@mantine/core'
import type { Notice } from '../common/api/notices.js'
import { DataTable } from '../common/ui/data-table.js'
import { ForeignText } from '../common/ui/foreign-text.js'
import { Status } from '../common/ui/status.js'
import { TextLink } from '../common/ui/text-link.js'
import { When } from '../common/ui/when.js'
import { NOTICE_KINDS, placeOf } from './notice-kinds.js'

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
