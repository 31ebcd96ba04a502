import { Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useLocation } from 'wouter'
import type { Deleted, Webhook, WebhookSecret } from '../common/api/wire.ts'
import { useChange } from '../common/session/queries.ts'
import { ConfirmDialog } from '../common/ui/confirm-dialog.tsx'
import { SecretShown } from './secret-shown.tsx'
import { texts } from './texts.ts'

type DialogProps = { readonly webhook: Webhook; readonly onClose: () => void }

export function RegenerateDialog({ webhook, onClose }: DialogProps) {
  const regenerate = useChange<WebhookSecret>()
  if (regenerate.data)
    return <SecretShown title={texts.newSecretTitle} secret={regenerate.data.secret} onDone={onClose} />
  return (
    <ConfirmDialog
      title={texts.newSecretFor({ name: webhook.name })}
      action={texts.makeNewSecret}
      isBusy={regenerate.isPending}
      error={regenerate.error}
      onConfirm={() =>
        regenerate.mutate({ method: 'POST', path: `/webhooks/${webhook.id}/regenerate-secret`, body: {} })
      }
      onClose={onClose}
    >
      <Text>{texts.oldSecretStops}</Text>
    </ConfirmDialog>
  )
}

/** Asks before a webhook is deleted, and says what else is lost. */
export function DeleteDialog({ webhook, onClose }: DialogProps) {
  const [, navigate] = useLocation()
  const remove = useChange<Deleted>({ isLeaving: true })
  const { waiting } = webhook.health
  return (
    <ConfirmDialog
      title={
        waiting === 0
          ? texts.deleteTitle({ name: webhook.name })
          : texts.deleteAndCancel({ name: webhook.name, waiting })
      }
      action={texts.delete}
      typed={webhook.name}
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(
          { method: 'DELETE', path: `/webhooks/${webhook.id}` },
          {
            onSuccess: () => {
              notifications.show({ message: texts.webhookDeleted({ name: webhook.name }) })
              navigate('/webhooks')
            },
          },
        )
      }
      onClose={onClose}
    >
      <Text>
        {texts.historyGoes({
          cancelled: waiting === 0 ? texts.nothingCancelled : texts.cancelledToo({ waiting }),
        })}
      </Text>
    </ConfirmDialog>
  )
}
