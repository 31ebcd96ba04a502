import { Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useLocation } from 'wouter'
import { faultsByField } from '../common/api/describe-refusal.ts'
import type { IssuedLink, NewInvitation, Role } from '../common/api/wire.ts'
import { useSession } from '../common/session/context.ts'
import { useChange } from '../common/session/queries.ts'
import { FormEnd } from '../common/ui/form-end.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { UnsavedGuard } from '../common/ui/unsaved-guard.tsx'
import { RoleFields } from './role-fields.tsx'
import { useLinkMade } from './use-link-made.tsx'
import { Form } from '../common/ui/form.tsx'
import { TextField } from '../common/ui/fields.tsx'
import { texts } from './texts.ts'

type InvitationForm = { readonly email: string; readonly role: Role; readonly scopes: readonly string[] }

/** Invites a person, who then chooses a name and a password. */
export function InviteUser() {
  const [, navigate] = useLocation()
  const { settings } = useSession()
  const { take, shown } = useLinkMade(() => navigate('/users'))
  const invite = useChange<IssuedLink>()
  const form = useForm<InvitationForm>({ initialValues: { email: '', role: 'member', scopes: [] } })
  const submit = form.onSubmit(({ email, role, scopes }) => {
    const body: NewInvitation = { email, role, allowed_scopes: role === 'member' ? [...scopes] : [] }
    invite.mutate(
      { method: 'POST', path: '/invitations', body },
      { onSuccess: take, onError: (error) => form.setErrors(faultsByField(error, ['email'])) },
    )
  })
  return (
    <div className="narrow">
      <PageTitle title={texts.inviteUser} />
      <UnsavedGuard isOn={!invite.isSuccess && form.isDirty()} />
      <Form onSubmit={submit}>
        <Stack maw={560}>
          <Text size="sm">{settings.sends_mail ? texts.invitedByMail : texts.invitedByLink}</Text>
          <TextField
            name="email"
            label={texts.email}
            type="email"
            required
            autoComplete="off"
            {...form.getInputProps('email')}
          />
          <RoleFields
            role={form.values.role}
            scopes={form.values.scopes}
            onChange={(role, scopes) => form.setValues({ role, scopes })}
          />
          <FormEnd error={invite.error} label={texts.invite} isBusy={invite.isPending} backTo="/users" />
        </Stack>
      </Form>
      {shown}
    </div>
  )
}
