import { Button, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { notifications } from '@mantine/notifications'
import { useState, type SubmitEvent } from 'react'
import { faultsByField } from '../common/api/describe-refusal.ts'
import { useClient } from '../common/session/context.ts'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'

/** Changes the own password, which ends all other sessions. */
export function PasswordForm() {
  const client = useClient()
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const change = useMutation({
    mutationFn: () => client.changePassword({ current_password: current, new_password: next }),
    gcTime: 0,
    onSuccess: () => {
      setCurrent('')
      setNext('')
      notifications.show({ message: 'Your password is changed. All other sessions of yours have ended.' })
    },
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    change.mutate()
  }
  return (
    <section aria-labelledby="password">
      <form onSubmit={submit}>
        <Stack>
          <Title order={2} size="h3" id="password">
            Password
          </Title>
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            required
            visibilityToggleButtonProps={{ 'aria-label': 'Show the current password' }}
            value={current}
            onChange={(event) => setCurrent(event.currentTarget.value)}
          />
          <PasswordInput
            label="New password"
            description="At least 8 characters; 15 or more are better. Nothing else is asked of it."
            autoComplete="new-password"
            required
            visibilityToggleButtonProps={{ 'aria-label': 'Show the new password' }}
            value={next}
            error={faultsByField(change.error, ['new_password'])['new_password']}
            onChange={(event) => setNext(event.currentTarget.value)}
          />
          <Text size="sm">Everywhere else where you are signed in you will be signed out.</Text>
          {change.error && <RefusalNotice error={change.error} />}
          <div>
            <Button type="submit" loading={change.isPending}>
              Change password
            </Button>
          </div>
        </Stack>
      </form>
    </section>
  )
}
