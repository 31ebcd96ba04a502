import { Alert, Button, NativeSelect, Stack, Text } from '@mantine/core'
import { useState, type SubmitEvent } from 'react'
import type { Delivery, EventDetail } from '../common/api/wire.ts'
import { useChange } from '../common/session/queries.ts'
import { Dialog } from '../common/ui/dialog.tsx'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { TextLink } from '../common/ui/text-link.tsx'
import { DialogFoot } from '../common/ui/dialog-foot.tsx'
import { Form } from '../common/ui/form.tsx'
import { texts } from './texts.ts'

type Target = { readonly id: string; readonly name: string }

type Props = {
  readonly event: Pick<EventDetail, 'id' | 'event'>
  /** The webhooks without a delivery of the event. The first is preselected. */
  readonly targets: readonly Target[]
  /** Why the event did not go to the webhook, if there is only one. */
  readonly why?: string
  readonly onClose: () => void
}

/** Sends an event by hand to a webhook that did not get it, then opens the new delivery. */
export function SendToWebhook({ event, targets, why, onClose }: Props) {
  // The dialog keeps its own copy, because the webhook that gets the event leaves the list behind the dialog.
  const [kept] = useState(targets)
  const [chosenId, setChosenId] = useState(kept[0]?.id ?? '')
  const send = useChange<Delivery>()
  const chosen = kept.find(({ id }) => id === chosenId)
  const submit = (submitted: SubmitEvent) => {
    submitted.preventDefault()
    send.mutate({ method: 'POST', path: `/webhooks/${chosenId}/events/${event.id}/send`, body: {} })
  }
  const made = send.data
  return (
    <Dialog
      title={kept.length === 1 ? texts.sendTo({ name: chosen?.name ?? '' }) : texts.sendThisEvent}
      onClose={onClose}
    >
      <Form onSubmit={submit}>
        <Stack>
          {kept.length > 1 && !made && (
            <NativeSelect
              label={texts.webhook}
              data={kept.map(({ id, name }) => ({ value: id, label: name }))}
              value={chosenId}
              onChange={({ currentTarget }) => setChosenId(currentTarget.value)}
            />
          )}
          {!made && (
            <Text size="sm">
              {why && `${why}. `}
              {texts.sendMeans({ type: event.event })}
            </Text>
          )}
          {send.error && <RefusalNotice error={send.error} />}
          <div role="status">
            {made && (
              <Alert variant="outline" color="blue" title={texts.sentToOne({ name: chosen?.name ?? '' })}>
                <TextLink href={`/deliveries/${made.webhook_id}/${made.id}`} onClick={onClose}>
                  {texts.lookAtTheNewDelivery}
                </TextLink>
              </Alert>
            )}
          </div>
          <DialogFoot>
            <Button variant="default" onClick={onClose}>
              {made ? texts.close : texts.cancel}
            </Button>
            {!made && (
              <Button type="submit" loading={send.isPending}>
                {texts.sendIt}
              </Button>
            )}
          </DialogFoot>
        </Stack>
      </Form>
    </Dialog>
  )
}
