import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Key } from '../common/api/wire.ts'
import { useSession } from '../common/session/context.ts'
import { KeyDialog } from './key-dialogs.tsx'
import { ACTION_NAMES, actionsOn, type KeyAction } from './key-access.ts'

/** The actions that the key's state allows, as buttons. */
export function KeyActions({ apiKey }: { apiKey: Key }) {
  const session = useSession()
  const [open, setOpen] = useState<KeyAction>()
  return (
    <>
      {actionsOn(session, apiKey).map((action) => (
        <Button
          key={action}
          variant="default"
          {...(action === 'revoke' && { c: 'var(--bad)' })}
          onClick={() => setOpen(action)}
        >
          {ACTION_NAMES[action]}
        </Button>
      ))}
      {open && <KeyDialog action={open} apiKey={apiKey} onClose={() => setOpen(undefined)} />}
    </>
  )
}
