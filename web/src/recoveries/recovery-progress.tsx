import { Alert, Button, Group, Stack, Text, VisuallyHidden } from '@mantine/core'
import type { Recovery, Webhook } from '../common/api/wire.ts'
import { useMay } from '../common/session/context.ts'
import { useChange } from '../common/session/queries.ts'
import { Loaded } from '../common/ui/loaded.tsx'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { Status } from '../common/ui/status.tsx'
import { announcement, isOpen, progressInWords, reasonOf, stateOf, waitOf } from './recovery-words.ts'
import { useRecovery } from './use-recovery.ts'
import { texts } from './texts.ts'

type Props = { readonly webhook: Webhook; readonly recoveryId: string }

/** The progress of a recovery while it runs, what it waits for, and why it stopped. */
export function RecoveryProgress({ webhook, recoveryId }: Props) {
  const reading = useRecovery(webhook.id, recoveryId)
  return <Loaded reading={reading}>{({ item }) => <Progress recovery={item} />}</Loaded>
}

function Progress({ recovery }: { recovery: Recovery }) {
  const [tone, word] = stateOf(recovery)
  const waiting = waitOf(recovery)
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Status tone={tone}>{word}</Status>
        <span className="figures">{progressInWords(recovery)}</span>
      </Group>
      <Bar recovery={recovery} />
      <VisuallyHidden role="status">{announcement(recovery)}</VisuallyHidden>
      {waiting !== undefined && <Text size="sm">{waiting}</Text>}
      {isOpen(recovery) && <Text size="sm">{texts.goesOn}</Text>}
      <Reason recovery={recovery} />
      {isOpen(recovery) && <StopButton recovery={recovery} />}
    </Stack>
  )
}

/** Without a total, the bar shows only that the recovery goes on. */
function Bar({ recovery }: { recovery: Recovery }) {
  const { status, queued, total } = recovery
  const known = total ?? (isOpen(recovery) ? undefined : Math.max(queued, 1))
  const figures =
    known === undefined
      ? {}
      : { max: Math.max(known, 1), value: status === 'done' ? Math.max(known, 1) : Math.min(queued, known) }
  return <progress className="progress" aria-label={texts.barLabel} {...figures} />
}

function Reason({ recovery }: { recovery: Recovery }) {
  const reason = reasonOf(recovery)
  if (reason === undefined) return null
  if (recovery.stopped_reason !== 'endpoint_failing') return <Text size="sm">{reason}</Text>
  return (
    <Alert variant="outline" color="red" title={texts.theEndpointStillFails}>
      <Text size="sm">{reason}</Text>
    </Alert>
  )
}

function StopButton({ recovery: { id, webhook_id: webhookId } }: { recovery: Recovery }) {
  const mayRecover = useMay('deliveries.recover')
  const stop = useChange<Recovery>()
  if (!mayRecover) return null
  return (
    <>
      <Group>
        <Button
          size="xs"
          variant="default"
          loading={stop.isPending}
          onClick={() => stop.mutate({ method: 'DELETE', path: `/webhooks/${webhookId}/recoveries/${id}` })}
        >
          {texts.stop}
        </Button>
      </Group>
      {stop.error && <RefusalNotice error={stop.error} />}
    </>
  )
}
