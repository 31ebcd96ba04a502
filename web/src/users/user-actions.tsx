import { Button, PasswordInput, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { RemovedUser, User } from '../common/api/wire.ts'
import { plural } from '../common/format/numbers.ts'
import { useMay } from '../common/session/context.ts'
import { useChange } from '../common/session/queries.ts'
import { ConfirmDialog } from '../common/ui/confirm-dialog.tsx'

type Props = { readonly user: User }

/** A new password for somebody who forgot theirs, a locked second factor, the removal of somebody who left. Not for oneself. */
export function UserActions({ user }: Props) {
  const mayUpdate = useMay('users.update')
  const mayRemove = useMay('users.remove')
  const [open, setOpen] = useState<'unlock' | 'password' | 'remove'>()
  const close = () => setOpen(undefined)
  if (user.is_self) return null
  return (
    <>
      {mayUpdate && user.totp_locked_at !== null && (
        <Button variant="default" onClick={() => setOpen('unlock')}>
          Unlock second factor
        </Button>
      )}
      {mayUpdate && (
        <Button variant="default" onClick={() => setOpen('password')}>
          Reset password
        </Button>
      )}
      {mayRemove && (
        <Button variant="default" onClick={() => setOpen('remove')}>
          Remove
        </Button>
      )}
      {open === 'unlock' && <Unlock user={user} onClose={close} />}
      {open === 'password' && <ResetPassword user={user} onClose={close} />}
      {open === 'remove' && <RemoveUser user={user} onClose={close} />}
    </>
  )
}

type DialogProps = Props & { readonly onClose: () => void }

function Unlock({ user, onClose }: DialogProps) {
  const unlock = useChange<User>()
  return (
    <ConfirmDialog
      title="Unlock the second factor?"
      action="Unlock"
      isBusy={unlock.isPending}
      error={unlock.error}
      onConfirm={() =>
        unlock.mutate(
          { method: 'PATCH', path: `/users/${user.id}`, body: { totp_locked_at: null } },
          {
            onSuccess: () => {
              notifications.show({ message: 'The second factor is unlocked.' })
              onClose()
            },
          },
        )
      }
      onClose={onClose}
    >
      <Text>
        Somebody gave <bdi className="foreign">{user.name}</bdi>’s password and ten wrong codes. Ask them
        first: if it was somebody else, reset the password instead.
      </Text>
    </ConfirmDialog>
  )
}

function ResetPassword({ user, onClose }: DialogProps) {
  const [password, setPassword] = useState('')
  const reset = useChange<User>()
  return (
    <ConfirmDialog
      title="Set a new password"
      action="Set password"
      isBusy={reset.isPending}
      error={reset.error}
      onConfirm={() =>
        reset.mutate(
          { method: 'POST', path: `/users/${user.id}/reset-password`, body: { password } },
          {
            onSuccess: () => {
              notifications.show({ message: 'The password is set.' })
              onClose()
            },
          },
        )
      }
      onClose={onClose}
    >
      <Text>
        All sessions of <bdi className="foreign">{user.name}</bdi> end, and their second factor is switched
        off. Tell them the password by a safe way.
      </Text>
      <PasswordInput
        label="New password"
        description="At least 8 characters; 15 or more are better."
        autoComplete="new-password"
        data-autofocus
        visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
    </ConfirmDialog>
  )
}

function RemoveUser({ user, onClose }: DialogProps) {
  const [, navigate] = useLocation()
  const remove = useChange<RemovedUser>()
  return (
    <ConfirmDialog
      title="Remove this user?"
      action="Remove"
      typed={user.email}
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(
          { method: 'DELETE', path: `/users/${user.id}` },
          {
            onSuccess: ({ revoked_keys: revoked }) => {
              notifications.show({ message: `The user is removed, and ${plural(revoked, 'key')} revoked.` })
              navigate('/users')
            },
          },
        )
      }
      onClose={onClose}
    >
      <Text>
        Their sessions end and their Personal keys are revoked for good. Shared keys stay. Nobody can undo
        this.
      </Text>
    </ConfirmDialog>
  )
}
