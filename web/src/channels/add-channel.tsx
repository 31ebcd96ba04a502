import { Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { faultsByField } from '../common/api/describe-refusal.ts'
import type { ChannelKind, CreatedChannel, NewChannel } from '../common/api/wire.ts'
import { useSession } from '../common/session/context.ts'
import { useChange } from '../common/session/queries.ts'
import { Dialog } from '../common/ui/dialog.tsx'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { Segments } from '../common/ui/segments.tsx'
import { SubmitRow } from '../common/ui/submit-row.tsx'
import { bodyOf, ChannelFields, formOf, nameOf, TARGETS, type ChannelForm } from './channel-fields.tsx'
import { Form } from '../common/ui/form.tsx'
import { TextField } from '../common/ui/fields.tsx'
import { texts } from './texts.ts'

const KINDS: readonly ChannelKind[] = ['slack', 'email', 'https']

type NewForm = ChannelForm & { readonly kind: ChannelKind; readonly target: string }

type Props = { readonly onAdded: (channel: CreatedChannel) => void; readonly onClose: () => void }

export function AddChannel({ onAdded, onClose }: Props) {
  const { settings } = useSession()
  const add = useChange<CreatedChannel>()
  const form = useForm<NewForm>({ initialValues: { ...formOf(), kind: 'slack', target: '' } })
  const { kind } = form.values
  const [label, means] = TARGETS[kind]
  const sendsNoMail = kind === 'email' && !settings.sends_mail
  const submit = form.onSubmit(({ target, ...others }) => {
    const body: NewChannel = { ...bodyOf(others), kind, target: target.trim() }
    add.mutate(
      { method: 'POST', path: '/channels', body },
      {
        onSuccess: (channel) => {
          if (kind === 'slack') notifications.show({ message: texts.added({ target: nameOf(channel) }) })
          onAdded(channel)
        },
        onError: (error) => form.setErrors(faultsByField(error, ['target'])),
      },
    )
  })
  return (
    <Dialog
      title={texts.addChannel}
      onClose={onClose}
      hasInput={form.isDirty() && !add.isSuccess}
      isBusy={add.isPending}
    >
      <Form onSubmit={submit}>
        <Stack>
          <Segments
            label={texts.kind}
            choices={KINDS.map((value) => ({ value, label: texts.kinds[value] }))}
            value={kind}
            onChange={(value) => form.setFieldValue('kind', value)}
          />
          <TextField
            name="target"
            label={label}
            description={sendsNoMail ? texts.noMail : means}
            type={kind === 'email' ? 'email' : 'url'}
            required
            autoComplete="off"
            disabled={sendsNoMail}
            {...form.getInputProps('target')}
          />
          <ChannelFields form={form} />
          {add.error && <RefusalNotice error={add.error} />}
          <SubmitRow onCancel={onClose} label={texts.add} isBusy={add.isPending} isDisabled={sendsNoMail} />
        </Stack>
      </Form>
    </Dialog>
  )
}
