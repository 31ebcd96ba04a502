import { Text } from '@mantine/core'
import type { Key } from '../common/api/wire.ts'
import { quoted } from '../common/format/cut-text.ts'
import { useChange } from '../common/session/queries.ts'
import { ConfirmDialog } from '../common/ui/confirm-dialog.tsx'
import { showUndo } from '../common/ui/toasts.tsx'
import type { KeyAction } from './key-access.ts'
import { RotateDialog } from './rotate-dialog.tsx'

type Props = { readonly apiKey: Key; readonly onClose: () => void }

/** Asks before an action, does it, and closes. */
export function KeyDialog({ action, ...props }: Props & { action: KeyAction }) {
  if (action === 'rotate') return <RotateDialog {...props} />
  if (action === 'revoke') return <RevokeDialog {...props} />
  return <SwitchDialog {...props} isActive={action === 'enable'} />
}

function SwitchDialog({ apiKey, isActive, onClose }: Props & { isActive: boolean }) {
  const change = useChange<Key>()
  const to = (next: boolean) =>
    ({ method: 'PATCH', path: `/keys/${apiKey.id}`, body: { is_active: next } }) as const
  return (
    <ConfirmDialog
      title={`${isActive ? 'Enable' : 'Disable'} ${quoted(apiKey.name)}`}
      action={isActive ? 'Enable' : 'Disable'}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() =>
        change.mutate(to(isActive), {
          onSuccess: () => {
            onClose()
            showUndo(`The key is ${isActive ? 'enabled' : 'disabled'}.`, () =>
              change.mutateAsync(to(!isActive)),
            )
          },
        })
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
      title={`Revoke ${quoted(apiKey.name)} for good`}
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
