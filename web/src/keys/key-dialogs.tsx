import { Text } from '@mantine/core'
import type { Key } from '../common/api/wire.ts'
import { useChange } from '../common/session/queries.ts'
import { ConfirmDialog } from '../common/ui/confirm-dialog.tsx'
import { showUndo } from '../common/ui/toasts.tsx'
import type { KeyAction } from './key-access.ts'
import { RotateDialog } from './rotate-dialog.tsx'
import { texts } from './texts.ts'

type Props = { readonly apiKey: Key; readonly onClose: () => void }

/** Asks before an action, carries it out, and closes. */
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
      title={isActive ? texts.enableTitle({ name: apiKey.name }) : texts.disableTitle({ name: apiKey.name })}
      action={isActive ? texts.enable : texts.disable}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() =>
        change.mutate(to(isActive), {
          onSuccess: () => {
            onClose()
            showUndo(texts.keyIsNow({ state: isActive ? texts.enabled : texts.disabled }), () =>
              change.mutateAsync(to(!isActive)),
            )
          },
        })
      }
      onClose={onClose}
    >
      <Text>{isActive ? texts.enableMeans : texts.disableMeans}</Text>
    </ConfirmDialog>
  )
}

function RevokeDialog({ apiKey, onClose }: Props) {
  const revoke = useChange<Key>()
  return (
    <ConfirmDialog
      title={texts.revokeTitle({ name: apiKey.name })}
      action={texts.revokeForGood}
      typed={apiKey.name}
      isBusy={revoke.isPending}
      error={revoke.error}
      onConfirm={() =>
        revoke.mutate({ method: 'POST', path: `/keys/${apiKey.id}/revoke`, body: {} }, { onSuccess: onClose })
      }
      onClose={onClose}
    >
      <Text>{texts.revokeMeans}</Text>
      {apiKey.state === 'active' && <Text>{texts.rotateInstead}</Text>}
    </ConfirmDialog>
  )
}
