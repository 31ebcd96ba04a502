import { Switch } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useEffect, useState, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import { useConsole } from '../session/context.ts'
import { Dialog } from '../ui/dialog.tsx'
import { IconSearch } from '../ui/icons.ts'
import { useLate } from '../ui/use-late.ts'
import { SHORTCUTS, useShortcuts } from './shortcuts.ts'
import { texts } from './texts.ts'

/** The palette is loaded this long after the page, in milliseconds, so that it does not delay the page. */
const PRELOAD_AFTER_MS = 1_500

/** Opens the command palette. */
export const SearchButton = ({ onPress }: { onPress: () => void }) => (
  <button type="button" className="search-button" onClick={onPress}>
    <IconSearch size={14} stroke={1.75} aria-hidden />
    <span>{texts.search}</span>
    <kbd aria-hidden="true">Ctrl K</kbd>
  </button>
)

/** Listens for the shortcuts. Returns the function that opens the palette, and the dialogs to render. */
export function useSearch(): { readonly search: () => void; readonly dialogs: ReactNode } {
  const [open, setOpen] = useState<'search' | 'help'>()
  const [, navigate] = useLocation()
  const { pageGuard } = useConsole()
  const [areSingleKeysOn, setSingleKeys] = useLocalStorage({ key: 'console-shortcuts', defaultValue: true })
  const [Palette, bringPalette] = useLate(() => import('./palette.tsx'))
  const close = () => setOpen(undefined)
  // Loaded early, so that the palette is there at the first Ctrl K. What is typed before it is there would be lost.
  useEffect(() => {
    const timer = setTimeout(() => void import('./palette.tsx').catch(() => undefined), PRELOAD_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  const search = async () => {
    if (await bringPalette()) setOpen('search')
  }
  useShortcuts({
    openSearch: () => void search(),
    openHelp: () => setOpen('help'),
    go: (href) => pageGuard.attempt(() => navigate(href)),
    areSingleKeysOn,
  })
  const dialogs = (
    <>
      {open === 'search' && Palette && <Palette onClose={close} />}
      {open === 'help' && (
        <Dialog title={texts.keyboardShortcuts} onClose={close} size="md">
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
            label={texts.singleKeys}
            checked={areSingleKeysOn}
            onChange={(event) => setSingleKeys(event.currentTarget.checked)}
          />
        </Dialog>
      )}
    </>
  )
  return { search: () => void search(), dialogs }
}
