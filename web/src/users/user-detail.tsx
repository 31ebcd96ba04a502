import { Button, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState, type SubmitEvent } from 'react'
import { faultsByField } from '../common/api/describe-refusal.ts'
import type { ChangedUser, User } from '../common/api/wire.ts'
import { useMay } from '../common/session/context.ts'
import { useChange, useOne } from '../common/session/queries.ts'
import { Card } from '../common/ui/card.tsx'
import { Facts } from '../common/ui/facts.tsx'
import { Loaded } from '../common/ui/loaded.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { When } from '../common/ui/when.tsx'
import { UnsavedGuard } from '../common/ui/unsaved-guard.tsx'
import { RoleFields } from './role-fields.tsx'
import { SecondFactorState } from './second-factor.tsx'
import { UserActions } from './user-actions.tsx'
import { Form } from '../common/ui/form.tsx'
import { TextField } from '../common/ui/fields.tsx'
import { texts } from './texts.ts'

export function UserDetail({ userId }: { userId: string }) {
  const reading = useOne<User>(`/users/${userId}`)
  const mayUpdate = useMay('users.update')
  return (
    <Loaded reading={reading}>
      {({ item }) => (
        <div className="narrow">
          <PageTitle title={item.name} beside={item.is_self && <span className="quiet">{texts.you}</span>} />
          <Card id="person" title={texts.person} note={texts.personMeans}>
            <Facts
              isList
              facts={[
                [texts.email, <bdi key="email">{item.email}</bdi>],
                [texts.role, item.role],
                [texts.secondFactor, <SecondFactorState key="factor" user={item} />],
                [texts.memberSince, <When key="since" at={item.created_at} />],
              ]}
            />
          </Card>
          {mayUpdate && <EditUser user={item} />}
          <UserActions user={item} />
        </div>
      )}
    </Loaded>
  )
}

function EditUser({ user }: { user: User }) {
  const [base, setBase] = useState(user)
  const [name, setName] = useState(user.name)
  const [role, setRole] = useState(user.role)
  const [scopes, setScopes] = useState(user.allowed_scopes)
  const change = useChange<ChangedUser>()
  const body = {
    ...(name !== base.name && { name }),
    ...(role !== base.role && { role }),
    ...(scopes.toSorted().join() !== base.allowed_scopes.toSorted().join() && { allowed_scopes: scopes }),
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    change.mutate(
      { method: 'PATCH', path: `/users/${user.id}`, body },
      {
        onSuccess: (saved) => {
          setBase(saved)
          const { disabled_keys: disabled } = saved
          notifications.show({
            message: disabled > 0 ? texts.userSavedKeysDisabled({ disabled }) : texts.userSaved,
          })
        },
      },
    )
  }
  return (
    <>
      <UnsavedGuard isOn={Object.keys(body).length > 0} />
      <Card id="may" title={texts.nameAndRole} note={user.is_self ? texts.ownRole : texts.keysWillBeDisabled}>
        <Form onSubmit={submit}>
          <Stack className="card-body">
            <TextField
              name="name"
              label={texts.name}
              required
              maxLength={255}
              value={name}
              error={faultsByField(change.error, ['name'])['name']}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            {!user.is_self && (
              <RoleFields
                role={role}
                scopes={scopes}
                onChange={(nextRole, nextScopes) => {
                  setRole(nextRole)
                  setScopes(nextScopes)
                }}
              />
            )}
            {change.error && <RefusalNotice error={change.error} />}
          </Stack>
          <div className="card-foot">
            <Button type="submit" loading={change.isPending} disabled={Object.keys(body).length === 0}>
              {texts.save}
            </Button>
          </div>
        </Form>
      </Card>
    </>
  )
}
