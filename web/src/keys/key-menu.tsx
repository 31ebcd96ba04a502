import { ActionIcon, Menu } from '@mantine/core'
import { useRef } from 'react'
import { Link } from 'wouter'
import type { Key } from '../common/api/wire.ts'
import { useSession } from '../common/session/context.ts'
import { IconDots } from '../common/ui/icons.ts'
import { ACTION_NAMES, actionsOn, mayChange, type KeyAction } from './key-access.ts'
import { texts } from './texts.ts'

/** What somebody chose to do with a key. */
export type ChosenAction = {
  readonly action: KeyAction
  readonly apiKey: Key
  /** Call it once the dialog is closed, which would give the focus to the menu's item that is gone. */
  readonly focusBack: () => void
}

/** What can be done with a key, from its row in the list. */
export function KeyMenu({ apiKey, onChoose }: { apiKey: Key; onChoose: (chosen: ChosenAction) => void }) {
  const session = useSession()
  const button = useRef<HTMLButtonElement>(null)
  if (!mayChange(session, apiKey)) return null
  const focusBack = () => button.current?.focus()
  return (
    <>
      {/* Without the placeholder, which has no place in a menu, its first item takes the focus. */}
      <Menu position="bottom-end" returnFocus={false} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <ActionIcon
            ref={button}
            variant="subtle"
            color="gray"
            aria-label={texts.actionsFor({ name: apiKey.name })}
          >
            <IconDots size={16} stroke={1.75} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component={Link} href={`/keys/${apiKey.id}?tab=settings`}>
            {texts.edit}
          </Menu.Item>
          {actionsOn(session, apiKey).map((action) => (
            <Menu.Item
              key={action}
              {...(action === 'revoke' && { color: 'var(--bad)' })}
              onClick={() => onChoose({ action, apiKey, focusBack })}
            >
              {ACTION_NAMES[action]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </>
  )
}
