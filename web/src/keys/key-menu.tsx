import { ActionIcon, Menu } from '@mantine/core'
import { useRef } from 'react'
import { Link } from 'wouter'
import type { Key } from '../common/api/wire.ts'
import { useSession } from '../common/session/context.ts'
import { IconDots } from '../common/ui/icons.ts'
import { ACTION_NAMES, actionsOn, mayChange, type KeyAction } from './key-access.ts'
import { texts } from './texts.ts'

type Props = {
  readonly apiKey: Key
  /** Opens the dialog of an action. */
  readonly onChoose: (action: KeyAction) => void
}

/** The actions for a key, in a menu of its row. */
export function KeyMenu({ apiKey, onChoose }: Props) {
  const session = useSession()
  const button = useRef<HTMLButtonElement>(null)
  if (!mayChange(session, apiKey)) return null
  const choose = (action: KeyAction) => {
    // Focus the button first. A dialog that closes returns the focus to what had it, and the item of the menu is gone by then.
    button.current?.focus()
    onChoose(action)
  }
  // No placeholder, because it has no place in a menu. So the first item takes the focus.
  return (
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
            onClick={() => choose(action)}
          >
            {ACTION_NAMES[action]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
