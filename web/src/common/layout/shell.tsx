import { ActionIcon, Drawer } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { usePlace, useSession } from '../session/context.ts'
import { IconMenu2 } from '../ui/icons.ts'
import { CrumbSlotProvider } from './crumbs.tsx'
import { SearchButton, useSearch } from '../palette/search-bar.tsx'
import { SideBar } from './side-bar.tsx'
import { texts } from './texts.ts'

/** The frame of all screens. It shows where the user is, the way to other screens, and who is signed in. */
export function Shell({ children }: { children: ReactNode }) {
  const { environment } = usePlace()
  const { company } = useSession()
  const [slot, setSlot] = useState<HTMLElement | null>(null)
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  const { search, dialogs } = useSearch()
  return (
    <div className="frame" data-environment={environment}>
      <a className="skip-link" href="#content">
        {texts.skipToTheContent}
      </a>
      <aside className="side" aria-label={texts.menu}>
        <SideBar search={<SearchButton onPress={search} />} />
      </aside>
      <Drawer
        opened={isOpen}
        onClose={close}
        size={280}
        title={texts.menu}
        closeButtonProps={{ 'aria-label': texts.closeTheMenu }}
        classNames={{ body: 'side-drawer' }}
      >
        <SideBar onGo={close} />
      </Drawer>
      {dialogs}
      <div className="page">
        <header>
          {environment === 'test' && <div className="stripe">{texts.sandboxStripe}</div>}
          {company.suspended_at !== null && <div className="stripe">{texts.suspendedStripe}</div>}
          <div className="bar">
            <ActionIcon
              className="menu-button"
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={texts.openTheMenu}
              onClick={() => setOpen(true)}
            >
              <IconMenu2 size={20} stroke={1.75} />
            </ActionIcon>
            <div className="crumb-slot" ref={setSlot} />
            <SearchButton onPress={search} />
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
