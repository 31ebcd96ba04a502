import { ActionIcon, Drawer } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { usePlace, useSession } from '../session/context.ts'
import { IconMenu2 } from '../ui/icons.ts'
import { CrumbSlotProvider } from './crumbs.tsx'
import { SearchBar } from '../palette/search-bar.tsx'
import { SideBar } from './side-bar.tsx'

/** The frame of all screens: where one is, where one can go, and who one is. */
export function Shell({ children }: { children: ReactNode }) {
  const { environment } = usePlace()
  const { company } = useSession()
  const [slot, setSlot] = useState<HTMLElement | null>(null)
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <div className="frame" data-environment={environment}>
      <a className="skip-link" href="#content">
        Skip to the content
      </a>
      <aside className="side" aria-label="Menu">
        <SideBar />
      </aside>
      <Drawer
        opened={isOpen}
        onClose={close}
        size={280}
        title="Menu"
        closeButtonProps={{ 'aria-label': 'Close the menu' }}
        classNames={{ body: 'side-drawer' }}
      >
        <SideBar onGo={close} />
      </Drawer>
      <div className="page">
        <header>
          {environment === 'test' && (
            <div className="stripe">SANDBOX: nothing here touches your live keys and webhooks</div>
          )}
          {company.suspended_at !== null && (
            <div className="stripe">
              SUSPENDED: API keys are refused, deliveries wait, and you can change almost nothing
            </div>
          )}
          <div className="bar">
            <ActionIcon
              className="menu-button"
              variant="subtle"
              color="gray"
              size="lg"
              aria-label="Open the menu"
              onClick={() => setOpen(true)}
            >
              <IconMenu2 size={20} stroke={1.75} />
            </ActionIcon>
            <div className="crumb-slot" ref={setSlot} />
            <SearchBar />
          </div>
        </header>
        <CrumbSlotProvider value={slot}>
          <main id="content" tabIndex={-1}>
            {children}
          </main>
        </CrumbSlotProvider>
      </div>
    </div>
  )
}
