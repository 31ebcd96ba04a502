import type { User } from '../common/api/wire.ts'
import { useMay } from '../common/session/context.ts'
import { useParts } from '../common/session/queries.ts'
import { Avatar } from '../common/ui/avatar.tsx'
import { ButtonLink } from '../common/ui/button-link.tsx'
import { DataTable, Row, type Column } from '../common/ui/data-table.tsx'
import { ForeignName, ForeignText } from '../common/ui/foreign-text.tsx'
import { Loaded } from '../common/ui/loaded.tsx'
import { MoreButton } from '../common/ui/more-button.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { RowLink } from '../common/ui/text-link.tsx'
import { When } from '../common/ui/when.tsx'
import { InvitationList } from './invitation-list.tsx'
import { SecondFactorState } from './second-factor.tsx'
import { SecondFactorRule } from './second-factor-rule.tsx'
import { texts } from './texts.ts'

const COLUMNS: readonly Column[] = [
  texts.name,
  texts.role,
  texts.secondFactor,
  texts.memberSince,
  { name: texts.actions, isControl: true },
]

export function UserList() {
  const mayCreate = useMay('users.create')
  const mayRule = useMay('company.update')
  const list = useParts<User>('/users', {})
  return (
    <>
      <PageTitle title={texts.users}>
        {mayCreate && (
          <ButtonLink href="/users/new" variant="filled">
            {texts.inviteUser}
          </ButtonLink>
        )}
      </PageTitle>
      <Loaded reading={list}>
        {({ pages }) => (
          <>
            <DataTable label={texts.users} columns={COLUMNS} isTall>
              {pages
                .flatMap((page) => page.data)
                .map((user) => (
                  <Row
                    key={user.id}
                    cells={[
                      <span key="name" className="with-avatar">
                        <Avatar name={user.name} />
                        <div>
                          <RowLink href={`/users/${user.id}`}>
                            <ForeignName text={user.name} />
                          </RowLink>{' '}
                          {user.is_self && <span className="quiet">{texts.you}</span>}{' '}
                          <span className="second-line">
                            <ForeignText text={user.email} limit={80} />
                          </span>
                        </div>
                      </span>,
                      user.role,
                      <SecondFactorState key="factor" user={user} />,
                      <When key="since" at={user.created_at} />,
                      <ButtonLink
                        key="change"
                        href={`/users/${user.id}`}
                        size="compact-sm"
                        variant="subtle"
                        label={texts.changeUser({ email: user.email })}
                      >
                        {texts.change}
                      </ButtonLink>,
                    ]}
                  />
                ))}
            </DataTable>
            <MoreButton list={list} isEmpty={false} />
          </>
        )}
      </Loaded>
      {mayCreate && <InvitationList />}
      {mayRule && <SecondFactorRule />}
    </>
  )
}
