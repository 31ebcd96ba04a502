import { Button, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { faultsByField } from '../common/api/describe-refusal.ts'
import { isRefusal } from '../common/api/refusal.ts'
import { etagOf } from '../common/api/transport.ts'
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
  // What the user typed, and the version of the key at its beginning. undefined: the editor shows what is saved.
  const [typed, setTyped] = useState<{ readonly text: string; readonly version: string }>()
  const change = useChange<Key>()
  const text = typed?.text ?? saved
  // Once the user sees what somebody else saved, another save may replace it.
  const isOvertaken = isRefusal(change.error, 'PRECONDITION_FAILED')
  const version = isOvertaken || !typed ? apiKey.version : typed.version
  // After a save, what was typed stays until the key was read again, so that the former list does not show in between.
  if (typed?.text === saved) setTyped(undefined)
  const discard = () => {
    setTyped(undefined)
    change.reset()
  }
  const save = () =>
    change.mutate(
      {
        method: 'PATCH',
        path: `/keys/${apiKey.id}`,
        body: { ip_allowlist: text },
        ifMatch: etagOf({ version }),
      },
      {
        onSuccess: ({ ip_allowlist, version: next }) => {
          setTyped({ text: ip_allowlist.join('\n'), version: next })
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
        onChange={(next) => setTyped({ text: next, version: typed?.version ?? apiKey.version })}
        error={faultsByField(change.error, ['ip_allowlist'])['ip_allowlist']}
      />
      {change.error && <RefusalNotice error={change.error} />}
      {isOvertaken && <Text>{texts.savedNow({ value: apiKey.ip_allowlist.join(', ') })}</Text>}
      <Group>
        <Button onClick={save} loading={change.isPending} disabled={text === saved}>
          {texts.saveAllowlist}
        </Button>
        <Button variant="default" onClick={discard} disabled={typed === undefined}>
          {texts.discard}
        </Button>
      </Group>
    </Stack>
  )
}
