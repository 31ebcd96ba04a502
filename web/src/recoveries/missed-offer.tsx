import { Button, Stack, Text } from '@mantine/core'
import type { Missed, Recovery, Webhook } from '../common/api/wire.ts'
import { useChange } from '../common/session/queries.ts'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { Moment } from '../common/ui/when.tsx'
import { foundInWords, things } from './recovery-words.ts'
import { DialogFoot } from '../common/ui/dialog-foot.tsx'
import { texts } from './texts.ts'

type Props = {
  readonly webhook: Webhook
  readonly missed: Missed
  readonly onBegun: (recoveryId: string) => void
  readonly onClose: () => void
}

/** Offers to recover the events that happened while a webhook was inactive. */
export function MissedOffer({ webhook, missed: { pause, recoverable }, onBegun, onClose }: Props) {
  const start = useChange<Recovery>()
  if (pause === null || recoverable === null) return null
  const { total, since } = recoverable
  const begin = () =>
    start.mutate(
      { method: 'POST', path: `/webhooks/${webhook.id}/recover`, body: { since, status: 'missed' } },
      { onSuccess: ({ id }) => onBegun(id) },
    )
  return (
    <Stack>
      <Text>{texts.whileInactive({ found: foundInWords(recoverable) })}</Text>
      <Text size="sm">
        {pause.ends_at === null
          ? texts.inactiveFrom({ since: <Moment at={pause.starts_at} /> })
          : texts.inactiveFromTo({
              since: <Moment at={pause.starts_at} />,
              until: <Moment at={pause.ends_at} />,
            })}
      </Text>
      {start.error && <RefusalNotice error={start.error} />}
      <DialogFoot>
        <Button variant="default" onClick={onClose}>
          {texts.notNow}
        </Button>
        <Button loading={start.isPending} onClick={begin}>
          {total === null ? texts.recoverAllOfThem : texts.recoverThings({ things: things('missed', total) })}
        </Button>
      </DialogFoot>
    </Stack>
  )
}
