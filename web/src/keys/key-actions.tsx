import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import type { Key } from '../common/api/keys.js'
import { useSession } from '../common/session/context.js'
import { useChange } from '../common/session/queries.js'
import { ConfirmDialog } from '../common/ui/confirm-dialog.js'
import { isAlive, mayChange } from './key-state.js'
import { RotateDialog } from './rotate-dialog.js'

type Action = 'rotate' | 'disable' | 'enable' | 'revoke'

/** What can be done with a key as it is now. */
export function KeyActions({ apiKey }: { apiKey: Key }) {
  const session = useSession()
  const [open, setOpen] = useState<Action>()
  const close = () => setOpen(undefined)
  if (!mayChange(session, apiKey)) return null
  const button = (action: Action, label: string) => (
    <Button variant="default" onClick={() => setOpen(action)}>
      {label}
    </Button>
  )
  return (
    <>
      {apiKey.state === 'active' && button('rotate', 'Rotate')}
      {apiKey.state === 'active' && button('disable', 'Disable')}
      {apiKey.state === 'disabled' && button('enable', 'Enable')}
      {isAlive(apiKey) && button('revoke', 'Revoke')}
      {open === 'rotate' && <RotateDialog apiKey={apiKey} onClose={close} />}
      {open === 'disable' && <SwitchDialog apiKey={apiKey} isActive={false} onClose={close} />}
      {open === 'enable' && <SwitchDialog apiKey={apiKey} isActive onClose={close} />}
      {open === 'revoke' && <RevokeDialog apiKey={apiKey} onClose={close} />}
    </>
  )
}

type Props = { readonly apiKey: Key; readonly onClose: () => void }

function SwitchDialog({ apiKey, isActive, onClose }: Props & { isActive: boolean }) {
  const change = useChange<Key>()
  return (
    <ConfirmDialog
      title={isActive ? 'Enable this key?' : 'Disable this key?'}
      action={isActive ? 'Enable' : 'Disable'}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() =>
        change.mutate(
          { method: 'PATCH', path: `/keys/${apiKey.id}`, body: { is_active: isActive } },
          { onSuccess: onClose },
        )
      }
      onClose={onClose}
    >
      <Text>
        {isActive
          ? 'Requests with this key are accepted again at once.'
          : 'Requests with this key are refused at once. You can enable it again.'}
      </Text>
    </ConfirmDialog>
  )
}

function RevokeDialog({ apiKey, onClose }: Props) {
  const revoke = useChange<Key>()
  return (
    <ConfirmDialog
      title="Revoke this key for good?"
      action="Revoke for good"
      typed={apiKey.name}
      isBusy={revoke.isPending}
      error={revoke.error}
      onConfirm={() =>
        revoke.mutate({ method: 'POST', path: `/keys/${apiKey.id}/revoke`, body: {} }, { onSuccess: onClose })
      }
      onClose={onClose}
    >
      <Text>
        Requests with this key are refused from now on. Nobody can undo this. To change the key without a gap,
        rotate it instead.
      </Text>
    </ConfirmDialog>
  )
}
