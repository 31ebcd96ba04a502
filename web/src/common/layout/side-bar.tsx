import { useSession } from '../session/context.ts'
import { Brand } from './brand.tsx'
import { EnvironmentSwitch } from './environment-switch.tsx'
import { Navigation } from './navigation.tsx'
import { UserMenu } from './user-menu.tsx'

/** Where one can go: the company and its environment at the top, the screens, and the user at the bottom. */
export function SideBar({ onGo }: { onGo?: () => void }) {
  const { company } = useSession()
  return (
    <>
      <div className="side-top">
        <Brand />
        <bdi className="company-name">{company.name}</bdi>
        <EnvironmentSwitch />
      </div>
      <Navigation {...(onGo && { onGo })} />
      <UserMenu />
    </>
  )
}
