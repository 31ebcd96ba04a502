import { Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useLocation } from 'wouter'
import type { Deleted, Webhook, WebhookSecret } from '../common/api/wire.ts'
import { quoted } from '../common/format/cut-text.ts'
import { plural } from '../common/format/numbers.ts'
import { useChange } from '../common/session/queries.ts'
import { ConfirmDialog } from '../common/ui/confirm-dialog.tsx'
import { SecretShown } from './secret-shown.tsx'

type DialogProps = { readonly webhook: Webhook; readonly onClose: () => void }

export function RegenerateDialog({ webhook, onClose }: DialogProps) {
  const regenerate = useChange<WebhookSecret>()
  if (regenerate.data)
    return <SecretShown title="The new signing secret" secret={regenerate.data.secret} onDone={onClose} />
  return (
    <ConfirmDialog
      title={`Make a new signing secret for ${quoted(webhook.name)}`}
      action="Make a new secret"
      isBusy={regenerate.isPending}
      error={regenerate.error}
      onConfirm={() =>
        regenerate.mutate({ method: 'POST', path: `/webhooks/${webhook.id}/regenerate-secret`, body: {} })
      }
      onClose={onClose}
    >
      <Text>
        The old secret stops now: your endpoint refuses requests until it knows the new one. Refused
        deliveries are retried.
      </Text>
    </ConfirmDialog>
  )
}

/** Says what goes with the webhook before it is gone. */
export function DeleteDialog({ webhook, onClose }: DialogProps) {
  const [, navigate] = useLocation()
  const remove = useChange<Deleted>({ isLeaving: true })
  const { waiting } = webhook.health
  const cancelled = waiting === 0 ? '' : ` and cancel ${plural(waiting, 'delivery', 'deliveries')}`
  return (
    <ConfirmDialog
      title={`Delete ${quoted(webhook.name)}${cancelled}`}
      action="Delete"
      typed={webhook.name}
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(
          { method: 'DELETE', path: `/webhooks/${webhook.id}` },
          {
            onSuccess: () => {
              notifications.show({ message: `The webhook «${webhook.name}» is deleted.` })
              navigate('/webhooks')
            },
          },
        )
      }
      onClose={onClose}
    >
      <Text>
        {waiting === 0
          ? 'No delivery waits, so none is cancelled.'
          : `${plural(waiting, 'delivery that waits is', 'deliveries that wait are')} cancelled.`}{' '}
        Its history is gone from the console. Nobody can undo this.
      </Text>
    </ConfirmDialog>
  )
}
