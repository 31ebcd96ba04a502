import { Button, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { IssuedLink, RemovedUser, User } from '../common/api/wire.ts'
import { useMay } from '../common/session/context.ts'
import { useChange } from '../common/session/queries.ts'
import { Card } from '../common/ui/card.tsx'
import { ConfirmDialog } from '../common/ui/confirm-dialog.tsx'
import { Facts } from '../common/ui/facts.tsx'
import { useLinkMade } from './use-link-made.tsx'
import { texts } from './texts.ts'

type Props = { readonly user: User }

/**
 * Actions for another user: a link for a new password, the unlocking of the second factor, the removal. Not for the
 * signed-in user.
 */
export function UserActions({ user }: Props) {
  const mayUpdate = useMay('users.update')
  const mayRemove = useMay('users.remove')
  const [open, setOpen] = useState<'unlock' | 'password' | 'remove'>()
  const close = () => setOpen(undefined)
  const isLocked = user.totp_locked_at !== null
  if (user.is_self || (!mayUpdate && !mayRemove)) return null
  const actions = [
    {
      opens: 'unlock',
      isOffered: mayUpdate && isLocked,
      name: texts.secondFactor,
      means: texts.lockedMeans,
      does: texts.unlockSecondFactor,
    },
    {
      opens: 'password',
      isOffered: mayUpdate,
      name: texts.password,
      means: texts.passwordMeans,
      does: texts.resetPassword,
    },
    {
      opens: 'remove',
      isOffered: mayRemove,
      name: texts.membership,
      means: texts.membershipMeans,
      does: texts.remove,
    },
  ] as const
  return (
    <Card id="access" title={texts.access} note={texts.accessMeans}>
      <Facts
        isList
        facts={actions
          .filter(({ isOffered }) => isOffered)
          .map(({ opens, name, means, does }) => [
            name,
            <div key={opens} className="doing">
              <span className="quiet">{means}</span>
              <Button variant="default" onClick={() => setOpen(opens)} {...(opens === 'remove' && DANGER)}>
                {does}
              </Button>
            </div>,
          ])}
      />
      {open === 'unlock' && <Unlock user={user} onClose={close} />}
      {open === 'password' && <ResetPassword user={user} onClose={close} />}
      {open === 'remove' && <RemoveUser user={user} onClose={close} />}
    </Card>
  )
}

const DANGER = { c: 'var(--bad)' } as const

type DialogProps = Props & { readonly onClose: () => void }

function Unlock({ user, onClose }: DialogProps) {
  const unlock = useChange<User>()
  return (
    <ConfirmDialog
      title={texts.unlockTitle}
      action={texts.unlock}
      isBusy={unlock.isPending}
      error={unlock.error}
      onConfirm={() =>
        unlock.mutate(
          { method: 'PATCH', path: `/users/${user.id}`, body: { totp_locked_at: null } },
          {
            onSuccess: () => {
              notifications.show({ message: texts.unlocked })
              onClose()
            },
          },
        )
      }
      onClose={onClose}
    >
      <Text>{texts.unlockMeans({ user: <bdi className="foreign">{user.name}</bdi> })}</Text>
    </ConfirmDialog>
  )
}

function ResetPassword({ user, onClose }: DialogProps) {
  const { take, shown } = useLinkMade(onClose)
  const reset = useChange<IssuedLink>()
  if (shown) return shown
  return (
    <ConfirmDialog
      title={texts.resetTitle}
      action={texts.reset}
      isBusy={reset.isPending}
      error={reset.error}
      onConfirm={() =>
        reset.mutate(
          { method: 'POST', path: `/users/${user.id}/reset-password`, body: {} },
          { onSuccess: take },
        )
      }
      onClose={onClose}
    >
      <Text>{texts.resetMeans({ user: <bdi className="foreign">{user.name}</bdi> })}</Text>
    </ConfirmDialog>
  )
}

function RemoveUser({ user, onClose }: DialogProps) {
  const [, navigate] = useLocation()
  const remove = useChange<RemovedUser>()
  return (
    <ConfirmDialog
      title={texts.removeTitle}
      action={texts.remove}
      typed={user.email}
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(
          { method: 'DELETE', path: `/users/${user.id}` },
          {
            onSuccess: ({ revoked_keys: revoked }) => {
              notifications.show({ message: texts.userRemoved({ revoked }) })
              navigate('/users')
            },
          },
        )
      }
      onClose={onClose}
    >
      <Text>{texts.removeMeans}</Text>
    </ConfirmDialog>
  )
}
