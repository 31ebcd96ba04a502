import { Switch } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { lazy, Suspense, useState } from 'react'
import { useLocation } from 'wouter'
import { useConsole } from '../session/context.ts'
import { Dialog } from '../ui/dialog.tsx'
import { IconSearch } from '../ui/icons.ts'
import { SHORTCUTS, useShortcuts } from './shortcuts.ts'

const Palette = lazy(() => import('./palette.tsx'))

/** The button that opens the command palette, and the shortcuts of the keyboard. */
export function SearchBar() {
  const [open, setOpen] = useState<'search' | 'help'>()
  const [, navigate] = useLocation()
  const { pageGuard } = useConsole()
  const [areSingleKeysOn, setSingleKeys] = useLocalStorage({ key: 'console-shortcuts', defaultValue: true })
  const close = () => setOpen(undefined)
  useShortcuts({
    openSearch: () => setOpen('search'),
    openHelp: () => setOpen('help'),
    go: (href) => pageGuard.attempt(() => navigate(href)),
    areSingleKeysOn,
  })
  return (
    <>
      <button type="button" className="search-button" onClick={() => setOpen('search')}>
        <IconSearch size={14} stroke={1.75} aria-hidden />
        <span>Search</span>
        <kbd aria-hidden="true">Ctrl K</kbd>
      </button>
      {open === 'search' && (
        <Suspense>
          <Palette onClose={close} />
        </Suspense>
      )}
      {open === 'help' && (
        <Dialog title="Keyboard shortcuts" onClose={close} size="md">
          <dl className="shortcut-list">
            {SHORTCUTS.map(([keys, what]) => (
              <div key={keys}>
                <dt>
                  <kbd>{keys}</kbd>
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
          <Switch
            mt="md"
            size="xs"
            label="Shortcuts of single keys"
            checked={areSingleKeysOn}
            onChange={(event) => setSingleKeys(event.currentTarget.checked)}
          />
        </Dialog>
      )}
    </>
  )
}
