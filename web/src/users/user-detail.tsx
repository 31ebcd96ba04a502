import { Button, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState, type SubmitEvent } from 'react'
import { faultsByField } from '../common/api/describe-refusal.ts'
import type { ChangedUser, User } from '../common/api/wire.ts'
import { secondFactorOf } from './second-factor.ts'
import { useMay } from '../common/session/context.ts'
import { useChange, useOne } from '../common/session/queries.ts'
import { Facts } from '../common/ui/facts.tsx'
import { Loaded } from '../common/ui/loaded.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { When } from '../common/ui/when.tsx'
import { UnsavedGuard } from '../common/ui/unsaved-guard.tsx'
import { RoleFields } from './role-fields.tsx'
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
        <>
          <PageTitle title={item.name}>
            <UserActions user={item} />
          </PageTitle>
          <Stack gap="lg">
            <Facts
              facts={[
                [texts.email, <bdi key="email">{item.email}</bdi>],
                [texts.role, item.role],
                [texts.secondFactor, secondFactorOf(item)],
                [texts.memberSince, <When key="since" at={item.created_at} />],
              ]}
            />
            {mayUpdate && <EditUser user={item} />}
          </Stack>
        </>
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
      <Form onSubmit={submit}>
        <Stack maw={560}>
          <TextField
            name="name"
            label={texts.name}
            required
            maxLength={255}
            value={name}
            error={faultsByField(change.error, ['name'])['name']}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          {user.is_self ? (
            <Text size="sm">{texts.ownRole}</Text>
          ) : (
            <>
              <RoleFields
                role={role}
                scopes={scopes}
                onChange={(nextRole, nextScopes) => {
                  setRole(nextRole)
                  setScopes(nextScopes)
                }}
              />
              <Text size="sm">{texts.keysWillBeDisabled}</Text>
            </>
          )}
          {change.error && <RefusalNotice error={change.error} />}
          <Group>
            <Button type="submit" loading={change.isPending} disabled={Object.keys(body).length === 0}>
              {texts.save}
            </Button>
          </Group>
        </Stack>
      </Form>
    </>
  )
}
