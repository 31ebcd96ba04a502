import { useEffect, useEffectEvent, useRef } from 'react'
import { MAIN_SECTIONS } from '../layout/sections.ts'
import { texts } from './texts.ts'

/** The single-key shortcuts, for the dialog that explains them. */
export const SHORTCUTS: readonly (readonly [keys: string, what: string])[] = [
  ['Ctrl K', texts.searchEverything],
  ['?', texts.showTheseShortcuts],
  ['/', texts.goToFirstFilter],
  ['j', texts.nextRow],
  ['k', texts.rowBefore],
  ['Enter', texts.openTheRow],
  ...MAIN_SECTIONS.map(({ goKey, name }) => [`g ${goKey}`, name] as const),
]

/** The longest time between `g` and the second key, in milliseconds. */
const SECOND_KEY_MS = 1_500

type Does = {
  readonly openSearch: () => void
  readonly openHelp: () => void
  readonly go: (href: string) => void
  /** Whether single-key shortcuts are on. People who dictate switch them off. */
  readonly areSingleKeysOn: boolean
}

/** Listens for the shortcuts of the console, unless the user types or a dialog is open. */
export function useShortcuts(does: Does): void {
  const goUntil = useRef(0)
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault()
      does.openSearch()
      return
    }
    if (event.ctrlKey || event.metaKey || event.altKey || !does.areSingleKeysOn || isBusy(event.target))
      return
    const isSecond = event.timeStamp < goUntil.current
    goUntil.current = event.key === 'g' && !isSecond ? event.timeStamp + SECOND_KEY_MS : 0
    const page = isSecond ? MAIN_SECTIONS.find(({ goKey }) => goKey === event.key) : undefined
    if (page) does.go(page.href)
    else if (event.key === '?') does.openHelp()
    else if (event.key === '/') focusFilter(event)
    else if (event.key === 'j') moveRow(1)
    else if (event.key === 'k') moveRow(-1)
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event)
    window.addEventListener('keydown', listener)
    return () => window.removeEventListener('keydown', listener)
  }, [])
}

/** Whether the key press goes to a field or a dialog. */
const isBusy = (target: EventTarget | null): boolean =>
  (target instanceof Element && target.closest('input, textarea, select, [role=menu]') !== null) ||
  document.querySelector('[role=dialog]') !== null

function focusFilter(event: KeyboardEvent): void {
  const filter = document.querySelector<HTMLElement>('.toolbar :is(input, select)')
  if (!filter) return
  event.preventDefault()
  filter.focus()
}

/** Focuses the link of the next or the previous row. If no row has the focus, it focuses the first. */
function moveRow(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('main .row-link')]
  const at = links.findIndex((link) => link === document.activeElement)
  links[at === -1 ? 0 : Math.min(links.length - 1, Math.max(0, at + step))]?.focus()
}
