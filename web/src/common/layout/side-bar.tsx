import type { ReactNode } from 'react'
import { useSession } from '../session/context.ts'
import { Brand } from './brand.tsx'
import { EnvironmentSwitch } from './environment-switch.tsx'
import { Navigation } from './navigation.tsx'
import { UserMenu } from './user-menu.tsx'

type Props = {
  readonly onGo?: () => void
  /** The button of the search, where no bar has it. */
  readonly search?: ReactNode
}

/** Where one can go: the company, its environment and the search at the top, the screens, and the user at the bottom. */
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
