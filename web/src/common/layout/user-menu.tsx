import { Menu, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { Link } from 'wouter'
import { useClient, useSession } from '../session/context.ts'
import { Avatar } from '../ui/avatar.tsx'
import { IconChevronDown, IconLogout, IconMoon, IconSun, IconUser } from '../ui/icons.ts'
import { showRefusal } from '../ui/toasts.tsx'
import { texts } from './texts.ts'

/** The menu of the signed-in user: the account, the colour scheme, and the sign-out. */
export function UserMenu() {
  const { user } = useSession()
  const { setColorScheme } = useMantineColorScheme()
  const other = useComputedColorScheme('light') === 'light' ? 'dark' : 'light'
  const signOut = useSignOut()
  return (
    <Menu position="top-start" width={208} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <button type="button" className="user-button">
          <Avatar name={user.name} />
          <span className="visually-hidden">{texts.menuOf} </span>
          <bdi className="user-name">{user.name}</bdi>
          <IconChevronDown size={16} stroke={1.75} aria-hidden />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} href="/account" leftSection={<IconUser size={16} stroke={1.75} />}>
          {texts.account}
        </Menu.Item>
        <Menu.Item
          leftSection={
            other === 'dark' ? <IconMoon size={16} stroke={1.75} /> : <IconSun size={16} stroke={1.75} />
          }
          onClick={() => setColorScheme(other)}
        >
          {other === 'dark' ? texts.darkScheme : texts.lightScheme}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} stroke={1.75} />} onClick={() => void signOut()}>
          {texts.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function useSignOut(): () => Promise<void> {
  const client = useClient()
  return async () => {
    try {
      await client.signOut()
    } catch (error) {
      showRefusal(error)
    }
  }
}
