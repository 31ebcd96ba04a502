import { Button, Menu } from '@mantine/core'
import { useRef, useState } from 'react'
import { Link } from 'wouter'
import type { Key } from '../common/api/wire.ts'
import { useSession } from '../common/session/context.ts'
import { KeyDialog } from './key-dialogs.tsx'
import { ACTION_NAMES, actionsOn, mayChange, type KeyAction } from './key-access.ts'

/** What can be done with a key, from its row in the list. The focus comes back to the button when a dialog closes. */
export function KeyMenu({ apiKey }: { apiKey: Key }) {
  const session = useSession()
  const [open, setOpen] = useState<KeyAction>()
  const button = useRef<HTMLButtonElement>(null)
  if (!mayChange(session, apiKey)) return null
  const close = () => {
    setOpen(undefined)
    // After the dialog, which would give the focus to the menu's item that is gone.
    requestAnimationFrame(() => button.current?.focus())
  }
  return (
    <>
      {/* Without the placeholder, which has no place in a menu, its first item takes the focus. */}
      <Menu position="bottom-end" returnFocus={false} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button ref={button} size="compact-sm" variant="default" aria-label={`Actions for ${apiKey.name}`}>
            Actions
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component={Link} href={`/keys/${apiKey.id}?tab=settings`}>
            Edit
          </Menu.Item>
          {actionsOn(session, apiKey).map((action) => (
            <Menu.Item key={action} onClick={() => setOpen(action)}>
              {ACTION_NAMES[action]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {open && <KeyDialog action={open} apiKey={apiKey} onClose={close} />}
    </>
  )
}
