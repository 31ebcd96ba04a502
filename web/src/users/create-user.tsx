import { Button, Group, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useLocation } from 'wouter'
import { faultsByField } from '../common/api/describe-refusal.ts'
import type { NewUser, Role, User } from '../common/api/wire.ts'
import { useChange } from '../common/session/queries.ts'
import { ButtonLink } from '../common/ui/button-link.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { UnsavedGuard } from '../common/ui/unsaved-guard.tsx'
import { RoleFields } from './role-fields.tsx'
import { texts } from './texts.ts'

const FIELDS = ['email', 'name', 'password']

type NewUserForm = {
  readonly email: string
  readonly name: string
  readonly password: string
  readonly role: Role
  readonly scopes: readonly string[]
}

export function CreateUser() {
  const [, navigate] = useLocation()
  const create = useChange<User>()
  const form = useForm<NewUserForm>({
    initialValues: {
      email: '',
      name: '',
      password: '',
      role: 'member',
      scopes: [],
    },
  })
  const submit = form.onSubmit(({ email, name, password, role, scopes }) => {
    const body: NewUser = { email, name, password, role, allowed_scopes: role === 'member' ? scopes : [] }
    create.mutate(
      { method: 'POST', path: '/users', body },
      {
        onSuccess: ({ id }) => {
          notifications.show({ message: texts.userAdded })
          navigate(`/users/${id}`)
        },
        onError: (error) => form.setErrors(faultsByField(error, FIELDS)),
      },
    )
  })
  return (
    <>
      <PageTitle title={texts.addUser} />
      <UnsavedGuard isOn={!create.isSuccess && form.isDirty()} />
      <form onSubmit={submit}>
        <Stack maw={560}>
          <TextInput label={texts.name} required maxLength={255} {...form.getInputProps('name')} />
          <TextInput
            label={texts.email}
            type="email"
            required
            autoComplete="off"
            {...form.getInputProps('email')}
          />
          <PasswordInput
            label={texts.firstPassword}
            description={texts.firstPasswordHow}
            required
            autoComplete="new-password"
            visibilityToggleButtonProps={{ 'aria-label': texts.showThePassword }}
            {...form.getInputProps('password')}
          />
          <RoleFields
            role={form.values.role}
            scopes={form.values.scopes}
            onChange={(role, scopes) => form.setValues({ role, scopes })}
          />
          {create.error && <RefusalNotice error={create.error} />}
          <Group>
            <Button type="submit" loading={create.isPending}>
              {texts.addUser}
            </Button>
            <ButtonLink href="/users">{texts.cancel}</ButtonLink>
          </Group>
        </Stack>
      </form>
    </>
  )
}
