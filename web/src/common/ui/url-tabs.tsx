import { Tabs } from '@mantine/core'
import { useEffect, useRef, type ReactNode } from 'react'
import { useConsole } from '../session/context.ts'
import { useUrlFilters } from '../session/url-filters.ts'

type Tab = { readonly name: string; readonly title: string; readonly content: () => ReactNode }

/** Tabs whose choice is in the URL. Only the open tab is rendered. A change of tab removes the filters of the former tab. */
export function UrlTabs({ tabs }: { tabs: readonly [Tab, ...Tab[]] }) {
  const { get, replaceAll } = useUrlFilters()
  const { pageGuard } = useConsole()
  const open = tabs.find(({ name }) => name === get('tab')) ?? tabs[0]
  const choose = (name: string | null) => pageGuard.attempt(() => replaceAll({ tab: name ?? '' }))
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[data-active]')
    // On a phone the tabs are wider than the page. Only the row of tabs scrolls, never the page.
    if (list.current && tab)
      list.current.scrollLeft = tab.offsetLeft - (list.current.clientWidth - tab.offsetWidth) / 2
  }, [open.name])
  return (
    <Tabs value={open.name} onChange={choose} keepMounted={false} mt="md">
      <Tabs.List ref={list} mb="md">
        {tabs.map(({ name, title }) => (
          <Tabs.Tab key={name} value={name}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={open.name}>{open.content()}</Tabs.Panel>
    </Tabs>
  )
}
