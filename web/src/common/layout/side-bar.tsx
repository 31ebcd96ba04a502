import type { ReactNode } from 'react'
import { useSession } from '../session/context.ts'
import { Brand } from './brand.tsx'
import { EnvironmentSwitch } from './environment-switch.tsx'
import { Navigation } from './navigation.tsx'
import { UserMenu } from './user-menu.tsx'

type Props = {
  readonly onGo?: () => void
  /** The search button, shown here where the page has no bar. */
  readonly search?: ReactNode
}

/** The side bar: the company, its environment and the search at the top, links to the screens, and the user at the bottom. */
export function SideBar({ onGo, search }: Props) {
  const { company } = useSession()
  return (
    <>
      <div className="side-top">
        <Brand company={company.name} />
        <EnvironmentSwitch />
        {search}
      </div>
      <Navigation {...(onGo && { onGo })} />
      <UserMenu />
    </>
  )
}
