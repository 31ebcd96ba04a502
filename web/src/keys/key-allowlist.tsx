import { Button, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { faultsByField } from '../common/api/describe-refusal.ts'
import type { Key } from '../common/api/wire.ts'
import { useSession } from '../common/session/context.ts'
import { useChange } from '../common/session/queries.ts'
import { RefusalNotice } from '../common/ui/refusal-notice.tsx'
import { UnsavedGuard } from '../common/ui/unsaved-guard.tsx'
import { AllowlistEditor } from './allowlist-editor.tsx'
import { isAlive, mayChange } from './key-access.ts'
import { texts } from './texts.ts'

/** The addresses from which the key may be used. */
export function KeyAllowlist({ apiKey }: { apiKey: Key }) {
  const session = useSession()
  const saved = apiKey.ip_allowlist.join('\n')
  // undefined: nothing was typed, so the editor follows what is saved.
  const [typed, setTyped] = useState<string>()
  const change = useChange<Key>()
  const text = typed ?? saved
  const save = () =>
    change.mutate(
      { method: 'PATCH', path: `/keys/${apiKey.id}`, body: { ip_allowlist: text } },
      {
        onSuccess: () => {
          setTyped(undefined)
          notifications.show({ message: texts.allowlistSaved })
        },
      },
    )
  if (!mayChange(session, apiKey) || !isAlive(apiKey))
    return (
      <Text>
        {saved === ''
          ? texts.everyAddressMay
          : texts.onlyTheseMay({ addresses: apiKey.ip_allowlist.join(', ') })}
      </Text>
    )
  return (
    <Stack maw={640}>
      <UnsavedGuard isOn={text !== saved} />
      <AllowlistEditor
        text={text}
        onChange={setTyped}
        error={faultsByField(change.error, ['ip_allowlist'])['ip_allowlist']}
      />
      {change.error && <RefusalNotice error={change.error} />}
      <Group>
        <Button onClick={save} loading={change.isPending} disabled={text === saved}>
          {texts.saveAllowlist}
        </Button>
        <Button variant="default" onClick={() => setTyped(undefined)} disabled={typed === undefined}>
          {texts.discard}
        </Button>
      </Group>
    </Stack>
  )
}
