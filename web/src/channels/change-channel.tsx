import { Button, Stack, Switch } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { faultsByField } from '../common/api/describe-refusal.ts'
import { isRefusal } from '../common/api/refusal.ts'
import { etagOf } from '../common/api/transport.ts'
import type { Channel, ChannelChange } from '../common/api/wire.ts'
import { useChange } from '../common/session/queries.ts'
import { Dialog } from '../common/ui/dialog.tsx'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { SubmitRow } from '../common/ui/submit-row.tsx'
import { bodyOf, ChannelFields, formOf, nameOf, TARGETS, type ChannelForm } from './channel-fields.tsx'
import { TextField } from '../common/ui/fields.tsx'
import { Form } from '../common/ui/form.tsx'
import { texts } from './texts.ts'

type ChangedForm = ChannelForm & { readonly target: string; readonly isActive: boolean }

type Props = {
  readonly channel: Channel
  readonly onChanged: (channel: Channel) => void
  /** Opens the dialog anew, with the channel as it is saved now. */
  readonly onReload: () => void
  readonly onClose: () => void
}

/**
 * Changes a channel. The request names the version that the dialog showed, so it overwrites no change that the user did not
 * see.
 */
export function ChangeChannel({ channel, onChanged, onReload, onClose }: Props) {
  const { id, kind } = channel
  const wasActive = channel.state !== 'off' && channel.state !== 'paused'
  const change = useChange<Channel>()
  const form = useForm<ChangedForm>({
    initialValues: { ...formOf(channel), target: '', isActive: wasActive },
  })
  const submit = form.onSubmit(({ target, isActive, ...others }) => {
    const body: ChannelChange = {
      ...bodyOf(others),
      ...(isActive !== wasActive && { is_active: isActive }),
      ...(target.trim() !== '' && { target: target.trim() }),
    }
    change.mutate(
      { method: 'PATCH', path: `/channels/${id}`, body, ifMatch: etagOf(channel) },
      {
        onSuccess: (changed) => {
          notifications.show({ message: texts.changed({ target: nameOf(changed) }) })
          onChanged(changed)
        },
        onError: (error) => form.setErrors(faultsByField(error, ['target', 'name'])),
      },
    )
  })
  return (
    <Dialog
      title={texts.changeTitle({ target: nameOf(channel) })}
      onClose={onClose}
      hasInput={form.isDirty() && !change.isSuccess}
      isBusy={change.isPending}
    >
      <Form onSubmit={submit}>
        <Stack>
          <Switch
            label={texts.isOn}
            description={texts.isOnMeans}
            {...form.getInputProps('isActive', { type: 'checkbox' })}
          />
          <ChannelFields form={form} />
          <TextField
            name="target"
            label={TARGETS[kind][0]}
            description={texts.another[kind]}
            placeholder={texts.nowIs({ target: channel.target })}
            type={kind === 'email' ? 'email' : 'url'}
            autoComplete="off"
            {...form.getInputProps('target')}
          />
          {change.error && <RefusalNotice error={change.error} />}
          {isRefusal(change.error, 'PRECONDITION_FAILED') && (
            <Button variant="default" onClick={onReload}>
              {texts.loadSaved}
            </Button>
          )}
          <SubmitRow onCancel={onClose} label={texts.save} isBusy={change.isPending} />
        </Stack>
      </Form>
    </Dialog>
  )
}
