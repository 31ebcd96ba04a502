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

type ButtonProps = {
  readonly webhook: Webhook
  /** Whether the button stands beside the selection of a list. */
  readonly isOfList?: boolean
  /** Whether it is the main button of its place. */
  readonly isPrimary?: boolean
}

/** A button that opens the dialog to recover deliveries of a webhook. */
export function RecoverButton({ webhook, isOfList = false, isPrimary = false }: ButtonProps) {
  const mayRecover = useMay('deliveries.recover')
  const [isOpen, setOpen] = useState(false)
  if (!mayRecover) return null
  return (
    <>
      <Button
        variant={isPrimary ? 'filled' : 'default'}
        size={isOfList ? 'xs' : 'sm'}
        onClick={() => setOpen(true)}
      >
        {isOfList ? texts.recoverAllThatFailed : isPrimary ? texts.recoverDeliveries : texts.recover}
      </Button>
      {isOpen && <RecoverDialog webhook={webhook} onClose={() => setOpen(false)} />}
    </>
  )
}

type Props = {
  readonly webhook: Webhook
  /** What the webhook missed during its latest pause. If given, the dialog offers it in place of the form. */
  readonly missed?: Missed
  readonly onClose: () => void
}

/**
 * Begins a recovery and shows its progress. A webhook has one recovery at a time. So if one is under way, the dialog shows
 * that one, even if somebody else began it while the form was open.
 */
export function RecoverDialog({ webhook, missed, onClose }: Props) {
  const [begunId, setBegunId] = useState<string>()
  const [foundId, setFoundId] = useState<string>()
  const reading = useRunning(webhook.id)
  const runningId = reading.data?.running?.id
  // The recovery stays in view when it has ended.
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
