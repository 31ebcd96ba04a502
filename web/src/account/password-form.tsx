import { Button, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { notifications } from '@mantine/notifications'
import { useState, type SubmitEvent } from 'react'
import { faultsByField } from '../common/api/describe-refusal.ts'
import { useClient } from '../common/session/context.ts'
import { Card } from '../common/ui/card.tsx'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { Form } from '../common/ui/form.tsx'
import { PasswordField } from '../common/ui/fields.tsx'
import { useSessionsAnew } from './use-own.ts'
import { texts } from './texts.ts'

/** Changes the user's own password. That ends all of the user's other sessions. */
export function PasswordForm() {
  const client = useClient()
  const readSessionsAnew = useSessionsAnew()
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const change = useMutation({
    mutationFn: () => client.changePassword({ current_password: current, new_password: next }),
    gcTime: 0,
    onSuccess: () => {
      setCurrent('')
      setNext('')
      readSessionsAnew()
      notifications.show({ message: texts.passwordChanged })
    },
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    change.mutate()
  }
  return (
    <Card id="password" title={texts.password} note={texts.signedOutElsewhere}>
      <Form onSubmit={submit}>
        <Stack className="card-body">
          <PasswordField
            name="current_password"
            label={texts.currentPassword}
            autoComplete="current-password"
            required
            visibilityToggleButtonProps={{ 'aria-label': texts.showTheCurrentPassword }}
            value={current}
            onChange={(event) => setCurrent(event.currentTarget.value)}
          />
          <PasswordField
            name="new_password"
            label={texts.newPassword}
            description={texts.passwordHow}
            autoComplete="new-password"
            required
            visibilityToggleButtonProps={{ 'aria-label': texts.showTheNewPassword }}
            value={next}
            error={faultsByField(change.error, ['new_password'])['new_password']}
            onChange={(event) => setNext(event.currentTarget.value)}
          />
          {change.error && <RefusalNotice error={change.error} />}
        </Stack>
        <div className="card-foot">
          <Button type="submit" loading={change.isPending}>
            {texts.changePassword}
          </Button>
        </div>
      </Form>
    </Card>
  )
}
