import { Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import type { Channel, RemovedChannel } from '../common/api/wire.ts'
import { useChange } from '../common/session/queries.ts'
import { ConfirmDialog } from '../common/ui/confirm-dialog.tsx'
import { nameOf } from './channel-fields.tsx'
import { texts } from './texts.ts'

type Props = { readonly channel: Channel; readonly onClose: () => void }

export function RemoveChannel({ channel, onClose }: Props) {
  const target = nameOf(channel)
  const remove = useChange<RemovedChannel>()
  return (
    <ConfirmDialog
      title={texts.removeTitle({ target })}
      action={texts.remove}
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(
          { method: 'DELETE', path: `/channels/${channel.id}` },
          {
            onSuccess: () => {
              notifications.show({ message: texts.removed({ target }) })
              onClose()
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
