import { Button, Checkbox, Group, NativeSelect, SegmentedControl, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { faultsByField } from '../common/api/describe-refusal.ts'
import type { ChannelKind, CreatedChannel, NewChannel } from '../common/api/wire.ts'
import { inWords } from '../common/format/durations.ts'
import { useSession } from '../common/session/context.ts'
import { useChange } from '../common/session/queries.ts'
import { Dialog } from '../common/ui/dialog.tsx'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { NOTICE_KINDS } from '../notices/notice-kinds.ts'
import { texts } from './texts.ts'

const KINDS: readonly ChannelKind[] = ['slack', 'email', 'https']

const TARGETS: Readonly<Record<ChannelKind, readonly [label: string, means: string]>> = {
  slack: [texts.slackUrl, texts.slackMeans],
  email: [texts.email, texts.emailMeans],
  https: [texts.httpsUrl, texts.httpsMeans],
}

/** In seconds. */
const PAUSES = [60, 300, 900, 3_600, 86_400]

type ChannelForm = {
  readonly kind: ChannelKind
  readonly target: string
  readonly notices: readonly string[]
  readonly pause: string
}

type Props = { readonly onAdded: (channel: CreatedChannel) => void; readonly onClose: () => void }

export function AddChannel({ onAdded, onClose }: Props) {
  const { settings } = useSession()
  const add = useChange<CreatedChannel>()
  const form = useForm<ChannelForm>({
    initialValues: { kind: 'slack', target: '', notices: [], pause: '300' },
  })
  const { kind, notices } = form.values
  const [label, means] = TARGETS[kind]
  const sendsNoMail = kind === 'email' && !settings.sends_mail
  const submit = form.onSubmit(({ target, pause }) => {
    const body: NewChannel = {
      kind,
      target: target.trim(),
      pause_seconds: Number(pause),
      ...(notices.length > 0 && { notice_kinds: notices as NonNullable<NewChannel['notice_kinds']> }),
    }
    add.mutate(
      { method: 'POST', path: '/channels', body },
      {
        onSuccess: (channel) => {
          if (kind === 'slack') notifications.show({ message: texts.added({ target: channel.target }) })
          onAdded(channel)
        },
        onError: (error) => form.setErrors(faultsByField(error, ['target'])),
      },
    )
  })
  return (
    <Dialog title={texts.addChannel} onClose={onClose} hasInput={form.isDirty() && !add.isSuccess}>
      <form onSubmit={submit}>
        <Stack>
          <SegmentedControl
            aria-label={texts.kind}
            data={KINDS.map((value) => ({ value, label: texts.kinds[value] }))}
            value={kind}
            onChange={(value) => form.setFieldValue('kind', value)}
          />
          <TextInput
            label={label}
            description={sendsNoMail ? texts.noMail : means}
            type={kind === 'email' ? 'email' : 'url'}
            required
            autoComplete="off"
            disabled={sendsNoMail}
            {...form.getInputProps('target')}
          />
          <Checkbox.Group
            label={texts.toldOf}
            description={texts.toldOfMeans}
            value={[...notices]}
            onChange={(value) => form.setFieldValue('notices', value)}
          >
            <Stack gap="xs" mt="xs">
              {Object.entries(NOTICE_KINDS).map(([value, [, name]]) => (
                <Checkbox key={value} value={value} label={name} />
              ))}
            </Stack>
          </Checkbox.Group>
          <NativeSelect
            label={texts.shortestPause}
            description={texts.pauseMeans}
            data={PAUSES.map((seconds) => ({ value: String(seconds), label: inWords(seconds) }))}
            {...form.getInputProps('pause')}
          />
          {add.error && <RefusalNotice error={add.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {texts.cancel}
            </Button>
            <Button type="submit" loading={add.isPending} disabled={sendsNoMail}>
              {texts.add}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
