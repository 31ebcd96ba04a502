import { Button, Text } from '@mantine/core'
import type { Recoverable, Recovery } from '../common/api/wire.ts'
import { useChange, useOne } from '../common/session/queries.ts'
import { Loaded } from '../common/ui/loaded.tsx'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { Moment } from '../common/ui/when.tsx'
import { FailingOffer, isRefusedAsFailing } from './failing-offer.tsx'
import type { RecoveryWindow } from './recovery-window.ts'
import { foundInWords, things } from './recovery-words.ts'
import { DialogFoot } from '../common/ui/dialog-foot.tsx'
import { texts } from './texts.ts'

type Props = {
  readonly webhookId: string
  readonly kind: Recovery['recovers']
  readonly window: RecoveryWindow
  readonly onBegun: (recoveryId: string) => void
  readonly onClose: () => void
}

/** Says how many deliveries or events are in the window, and begins their recovery. */
export function StartRecovery({ webhookId, kind, window, onBegun, onClose }: Props) {
  const found = useOne<Recoverable>(`/webhooks/${webhookId}/recoverable`, {
    query: { ...window, status: kind },
  })
  const start = useChange<Recovery>()
  const total = found.data?.item.total
  const begin = (more: { force?: true } = {}) =>
    start.mutate(
      { method: 'POST', path: `/webhooks/${webhookId}/recover`, body: { ...window, status: kind, ...more } },
      { onSuccess: ({ id }) => onBegun(id) },
    )
  return (
    <>
      <Loaded reading={found}>
        {({ item }) => (
          <div role="status">
            <Text fw={600}>{foundInWords(item)}</Text>
            <Text size="sm">
              {texts.fromTo({
                since: <Moment at={item.since} />,
                until: window.until === undefined ? texts.now : <Moment at={item.until} />,
              })}
            </Text>
          </div>
        )}
      </Loaded>
      {isRefusedAsFailing(start.error) ? (
        <FailingOffer webhookId={webhookId} isBusy={start.isPending} onForce={() => begin({ force: true })} />
      ) : (
        start.error && <RefusalNotice error={start.error} />
      )}
      <DialogFoot>
        <Button variant="default" onClick={onClose}>
          {texts.cancel}
        </Button>
        <Button
          loading={start.isPending}
          disabled={total === undefined || total === 0}
          onClick={() => begin()}
        >
          {total === undefined || total === null
            ? texts.recoverAllOfThem
            : texts.recoverThings({ things: things(kind, total) })}
        </Button>
      </DialogFoot>
    </>
  )
}
