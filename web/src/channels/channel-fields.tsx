import { Checkbox, NativeSelect, Stack, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { Channel, ChannelKind, NewChannel } from '../common/api/wire.ts'
import { inWords } from '../common/format/durations.ts'
import { NOTICE_KINDS } from '../notices/notice-kinds.ts'
import { texts } from './texts.ts'

/** The label and the hint of the target, by kind of channel. */
export const TARGETS: Readonly<Record<ChannelKind, readonly [label: string, means: string]>> = {
  slack: [texts.slackUrl, texts.slackMeans],
  email: [texts.email, texts.emailMeans],
  https: [texts.httpsUrl, texts.httpsMeans],
}

/** The name of a channel, or its target if it has no name. */
export const nameOf = ({ name, target }: Pick<Channel, 'name' | 'target'>): string => name ?? target

/** The pauses that are offered, in seconds. */
const PAUSES = [60, 300, 900, 3_600, 86_400]

/** The values of the form of a channel. */
export type ChannelForm = {
  readonly name: string
  readonly notices: readonly string[]
  readonly pause: string
}

export const formOf = (channel?: Channel): ChannelForm => ({
  name: channel?.name ?? '',
  notices: channel?.notice_kinds ?? [],
  pause: String(channel?.pause_seconds ?? 300),
})

export const bodyOf = ({ name, notices, pause }: ChannelForm) => ({
  name: name.trim() || null,
  notice_kinds: notices.length > 0 ? (notices as NonNullable<NewChannel['notice_kinds']>) : null,
  pause_seconds: Number(pause),
})

/** The fields that channels of all kinds have. */
export function ChannelFields<Form extends ChannelForm>({ form }: { form: UseFormReturnType<Form> }) {
  const pauses = [...new Set([...PAUSES, Number(form.getInitialValues().pause)])].sort((a, b) => a - b)
  return (
    <>
      <TextInput label={texts.name} maxLength={255} autoComplete="off" {...form.getInputProps('name')} />
      <Checkbox.Group label={texts.toldOf} description={texts.toldOfMeans} {...form.getInputProps('notices')}>
        <Stack gap="xs" mt="xs">
          {Object.entries(NOTICE_KINDS).map(([value, [, name]]) => (
            <Checkbox key={value} value={value} label={name} />
          ))}
        </Stack>
      </Checkbox.Group>
      <NativeSelect
        label={texts.shortestPause}
        description={texts.pauseMeans}
        data={pauses.map((seconds) => ({ value: String(seconds), label: inWords(seconds) }))}
        {...form.getInputProps('pause')}
      />
    </>
  )
}
