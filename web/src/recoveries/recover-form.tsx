import { Alert, Button, Group, NativeSelect, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Recovery, Webhook } from '../common/api/wire.ts'
import { toLocalInput, type OwnTimes } from '../common/format/local-times.ts'
import { OwnTimesInput } from '../common/ui/own-times-input.tsx'
import { useSession } from '../common/session/context.ts'
import { presetsFor, readOwn } from './recovery-window.ts'
import { KINDS, wouldWaitFor } from './recovery-words.ts'
import { StartRecovery } from './start-recovery.tsx'
import { useMissed } from './use-recovery.ts'
import { DialogFoot } from '../common/ui/dialog-foot.tsx'
import { texts } from './texts.ts'

const DAY_MS = 86_400_000

const EXPLAINED: Readonly<Record<Recovery['recovers'], string>> = {
  failed: texts.failedMeans,
  missed: texts.missedMeans,
}

type Props = {
  readonly webhook: Webhook
  readonly onBegun: (recoveryId: string) => void
  readonly onClose: () => void
}

/** Chooses what to recover, and from which time on. */
export function RecoverForm({ webhook, onBegun, onClose }: Props) {
  const [openedAt] = useState(() => new Date())
  const [kind, setKind] = useState<Recovery['recovers']>('failed')
  const [chosen, setChosen] = useState<string>()
  const [times, setTimes] = useState<OwnTimes>({
    since: toLocalInput(new Date(openedAt.getTime() - DAY_MS)),
    until: '',
  })
  const missed = useMissed(webhook.id)
  const presets = presetsFor(kind, { health: webhook.health, missed: missed.data, now: openedAt })
  const preset = presets.find(({ value }) => value === chosen) ?? presets[0]
  const own = readOwn(times, openedAt)
  const window =
    preset.since === undefined ? ('window' in own ? own.window : undefined) : { since: preset.since }
  return (
    <Stack>
      <Radio.Group
        label={texts.what}
        description={EXPLAINED[kind]}
        value={kind}
        onChange={(value) => setKind(value === 'missed' ? 'missed' : 'failed')}
      >
        <Group mt="xs">
          {Object.entries(KINDS).map(([value, label]) => (
            <Radio key={value} value={value} label={label} />
          ))}
        </Group>
      </Radio.Group>
      <NativeSelect
        label={texts.created}
        data={presets.map(({ value, label }) => ({ value, label }))}
        value={preset.value}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
      {preset.since === undefined && (
        <OwnTimesInput times={times} faults={'faults' in own ? own.faults : {}} onChange={setTimes} />
      )}
      <Waits webhook={webhook} />
      {window ? (
        <StartRecovery
          webhookId={webhook.id}
          kind={kind}
          window={window}
          onBegun={onBegun}
          onClose={onClose}
        />
      ) : (
        <DialogFoot>
          <Button variant="default" onClick={onClose}>
            {texts.cancel}
          </Button>
        </DialogFoot>
      )}
    </Stack>
  )
}

function Waits({ webhook }: { webhook: Webhook }) {
  const text = wouldWaitFor(webhook, useSession().company.suspended_at !== null)
  if (text === undefined) return null
  return (
    <Alert variant="outline" title={texts.itWouldWait}>
      <Text size="sm">{text}</Text>
    </Alert>
  )
}
