import { Table } from '@mantine/core'
import type { User } from '../common/api/users.js'
import { useMay } from '../common/session/context.js'
import { useParts } from '../common/session/queries.js'
import { ButtonLink } from '../common/ui/button-link.js'
import { DataTable } from '../common/ui/data-table.js'
import { ForeignText } from '../common/ui/foreign-text.js'
import { Loaded } from '../common/ui/loaded.js'
import { MoreButton } from '../common/ui/more-button.js'
import { PageTitle } from '../common/ui/page-title.js'
import { TextLink } from '../common/ui/text-link.js'
import { When } from '../common/ui/when.js'

const COLUMNS = ['Name', 'Email', 'Role', 'Second factor', 'Member since']

export function UserList() {
  const mayCreate = useMay('users.create')
  const list = useParts<User>('/users', {})
  return (
    <>
      <PageTitle title="Users">
        {mayCreate && (
          <ButtonLink href="/users/new" variant="filled">
            Add user
          </ButtonLink>
        )}
      </PageTitle>
      <Loaded reading={list}>
        {({ pages }) => (
          <>
            <DataTable label="Users" columns={COLUMNS}>
              {pages
                .flatMap((page) => page.data)
                .map((user) => (
                  <Table.Tr key={user.id}>
                    <Table.Td>
                      <TextLink href={`/users/${user.id}`}>
                        <ForeignText text={user.name} limit={60} />
                      </TextLink>
                      {user.is_self && ' (you)'}
                    </Table.Td>
                    <Table.Td>
                      <ForeignText text={user.email} limit={80} />
                    </Table.Td>
                    <Table.Td>{user.role}</Table.Td>
                    <Table.Td>{user.totp_enabled ? 'on' : 'off'}</Table.Td>
                    <Table.Td>
                      <When at={user.created_at} />
                    </Table.Td>
                  </Table.Tr>
                ))}
            </DataTable>
            <MoreButton list={list} isEmpty={false} />
          </>
        )}
      </Loaded>
    </>
  )
}
