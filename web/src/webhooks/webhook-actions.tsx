import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Deleted, Webhook, WebhookSecret } from '../common/api/wire.ts'
import { plural } from '../common/format/numbers.ts'
import { useMay } from '../common/session/context.ts'
import { useChange } from '../common/session/queries.ts'
import { ButtonLink } from '../common/ui/button-link.tsx'
import { ConfirmDialog } from '../common/ui/confirm-dialog.tsx'
import { RecoverButton } from '../recoveries/recover-dialog.tsx'
import { SecretShown } from './secret-shown.tsx'
import { TestEvent } from './test-event.tsx'
import { useActivation } from './use-activation.tsx'

type Props = { readonly webhook: Webhook }

/** What can be done with a webhook. */
export function WebhookActions({ webhook }: Props) {
  const mayWrite = useMay('webhooks.write')
  const mayRegenerate = useMay('webhooks.regenerate_secret')
  const [open, setOpen] = useState<'regenerate' | 'delete'>()
  const close = () => setOpen(undefined)
  return (
    <>
      <Group gap="xs" align="flex-start">
        {mayWrite && <ButtonLink href={`/webhooks/${webhook.id}/edit`}>Edit</ButtonLink>}
        {mayWrite && <ActiveSwitch webhook={webhook} />}
        <RecoverButton webhook={webhook} />
        {mayRegenerate && (
          <Button variant="default" onClick={() => setOpen('regenerate')}>
            New secret
          </Button>
        )}
        {mayWrite && (
          <Button variant="default" onClick={() => setOpen('delete')}>
            Delete
          </Button>
        )}
      </Group>
      <TestEvent webhookId={webhook.id} />
      {open === 'regenerate' && <RegenerateDialog webhook={webhook} onClose={close} />}
      {open === 'delete' && <DeleteDialog webhook={webhook} onClose={close} />}
    </>
  )
}

function ActiveSwitch({ webhook }: Props) {
  const { isBusy, toggle, offer } = useActivation(webhook)
  return (
    <>
      <Button variant="default" loading={isBusy} onClick={toggle}>
        {webhook.is_active ? 'Deactivate' : 'Activate'}
      </Button>
      {offer}
    </>
  )
}

type DialogProps = Props & { readonly onClose: () => void }

function RegenerateDialog({ webhook, onClose }: DialogProps) {
  const regenerate = useChange<WebhookSecret>()
  if (regenerate.data)
    return <SecretShown title="The new signing secret" secret={regenerate.data.secret} onDone={onClose} />
  return (
    <ConfirmDialog
      title="Make a new signing secret?"
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

function DeleteDialog({ webhook, onClose }: DialogProps) {
  const [, navigate] = useLocation()
  const remove = useChange<Deleted>({ isLeaving: true })
  const { waiting } = webhook.health
  return (
    <ConfirmDialog
      title="Delete this webhook?"
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
