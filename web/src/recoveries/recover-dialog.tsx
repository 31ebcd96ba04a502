import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Missed, Webhook } from '../common/api/wire.ts'
import { useMay } from '../common/session/context.ts'
import { Dialog } from '../common/ui/dialog.tsx'
import { Loaded } from '../common/ui/loaded.tsx'
import { TextLink } from '../common/ui/text-link.tsx'
import { MissedOffer } from './missed-offer.tsx'
import { RecoverForm } from './recover-form.tsx'
import { RecoveryProgress } from './recovery-progress.tsx'
import { useRunning } from './use-recovery.ts'
import { DialogFoot } from '../common/ui/dialog-foot.tsx'
import { texts } from './texts.ts'

/** Opens the dialog that recovers deliveries of a webhook. @param isOfList whether it stands beside what is selected in a list */
export function RecoverButton({ webhook, isOfList = false }: { webhook: Webhook; isOfList?: boolean }) {
  const mayRecover = useMay('deliveries.recover')
  const [isOpen, setOpen] = useState(false)
  if (!mayRecover) return null
  return (
    <>
      <Button variant="default" size={isOfList ? 'xs' : 'sm'} onClick={() => setOpen(true)}>
        {isOfList ? texts.recoverAllThatFailed : texts.recover}
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
    <Dialog title={missed ? texts.recoverMissedEvents : texts.recoverDeliveries} onClose={onClose}>
      {shownId === undefined ? (
        <Loaded reading={reading}>
          {() => (missed ? <MissedOffer {...form} missed={missed} /> : <RecoverForm {...form} />)}
        </Loaded>
      ) : (
        <Stack>
          {shownId === foundId && <Text>{texts.oneAtATime}</Text>}
          <RecoveryProgress webhook={webhook} recoveryId={shownId} />
          <Text size="sm">
            <TextLink href={`/webhooks/${webhook.id}?tab=recoveries`} onClick={onClose}>
              {texts.allRecoveriesOfThisWebhook}
            </TextLink>
          </Text>
          <DialogFoot>
            <Button variant="default" onClick={onClose}>
              {texts.close}
            </Button>
          </DialogFoot>
        </Stack>
      )}
    </Dialog>
  )
}
