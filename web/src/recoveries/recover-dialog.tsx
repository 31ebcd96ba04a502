import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Missed } from '../common/api/recoveries.js'
import type { Webhook } from '../common/api/webhooks.js'
import { useMay } from '../common/session/context.js'
import { Dialog } from '../common/ui/dialog.js'
import { Loaded } from '../common/ui/loaded.js'
import { TextLink } from '../common/ui/text-link.js'
import { MissedOffer } from './missed-offer.js'
import { RecoverForm } from './recover-form.js'
import { RecoveryProgress } from './recovery-progress.js'
import { useRunning } from './use-recovery.js'

/** Opens the dialog that recovers deliveries of a webhook. */
export function RecoverButton({ webhook }: { webhook: Webhook }) {
  const mayRecover = useMay('deliveries.recover')
  const [isOpen, setOpen] = useState(false)
  if (!mayRecover) return null
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Recover
      </Button>
      {isOpen && <RecoverDialog webhook={webhook} onClose={() => setOpen(false)} />}
    </>
  )
}

type Props = {
  readonly webhook: Webhook
  /** What the latest pause missed, to be offered in place of the form. */
  readonly missed?: Missed
  readonly onClose: () => void
}

/**
 * Begins a recovery and shows how far it has come. One of a webhook runs at a time: while there is one, the dialog shows that
 * one, also when somebody else begins it while the form is open.
 */
export function RecoverDialog({ webhook, missed, onClose }: Props) {
  const [begunId, setBegunId] = useState<string>()
  const [foundId, setFoundId] = useState<string>()
  const reading = useRunning(webhook.id)
  const runningId = reading.data?.running?.id
  // It stays in view when it is over.
  if (runningId !== undefined && begunId === undefined && foundId === undefined) setFoundId(runningId)
  const shownId = begunId ?? foundId
  const form = { webhook, onBegun: setBegunId, onClose }
  return (
    <Dialog title={missed ? 'Recover missed events' : 'Recover deliveries'} onClose={onClose}>
      {shownId === undefined ? (
        <Loaded reading={reading}>
          {() => (missed ? <MissedOffer {...form} missed={missed} /> : <RecoverForm {...form} />)}
        </Loaded>
      ) : (
        <Stack>
          {shownId === foundId && (
            <Text>
              A recovery of this webhook runs already, and one runs at a time. When it is over, you can begin
              another one.
            </Text>
          )}
          <RecoveryProgress webhook={webhook} recoveryId={shownId} />
          <Text size="sm">
            <TextLink href={`/webhooks/${webhook.id}?tab=recoveries`} onClick={onClose}>
              All recoveries of this webhook
            </TextLink>
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Close
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  )
}
