import { createSpotlight, Spotlight } from '@mantine/spotlight'
import '@mantine/spotlight/styles.css'
import { useEffect, useState, type KeyboardEvent } from 'react'
import { useLocation } from 'wouter'
import type { Key, WebhookName } from '../api/wire.ts'
import { useConsole, useSession } from '../session/context.ts'
import { useOne, usePage } from '../session/queries.ts'
import { useSendTest } from '../../webhooks/use-send-test.ts'
import { inGroups, matching, type Command } from './commands.ts'
import { commandsFor, searchesFor } from './command-list.ts'
import { texts } from './texts.ts'
import { useHits } from './use-hits.ts'

const [store, actions] = createSpotlight()

/** The most keys that are offered. The list of keys finds the others. */
const KEYS_OFFERED = 50

/** What the arrow keys and Enter do, shown below the list. Screen readers say it by themselves. */
const KEYS = [
  ['↑ ↓', texts.move],
  ['↵', texts.take],
  ['esc', texts.close],
] as const

/** Opens any page, webhook, key or id, and runs commands that have no page. It exists only while it is open. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const { permissions } = useSession()
  const { pageGuard } = useConsole()
  const [, navigate] = useLocation()
  const [query, setQuery] = useState('')
  const names = useOne<readonly WebhookName[]>('/webhook-names')
  const keys = usePage<{ readonly data: readonly Key[] }>('/keys', { limit: KEYS_OFFERED })
  const { send } = useSendTest()
  useEffect(() => {
    actions.open()
  }, [])
  const webhooks = names.data?.item ?? []
  const commands = commandsFor({ permissions, webhooks, keys: keys.data?.data ?? [], text: query })
  const run = (command: Command) => {
    if (command.testOf) send(command.testOf)
    else pageGuard.attempt(() => navigate(command.href))
  }
  const hits = useHits(query, permissions.includes('events.read'))
  // Results that arrive later go before the searches. Spotlight may have selected the first search by then.
  const isWhole = !names.isPending && !keys.isPending && hits !== undefined
  const named = matching(commands, query)
  // A typed id of an event has its own command already.
  const news = (hits ?? []).filter(({ href }) => !named.some((command) => command.href === href))
  const found = [...named, ...news, ...(isWhole ? searchesFor(query, permissions) : [])]
  return (
    <Spotlight.Root
      store={store}
      query={query}
      onQueryChange={setQuery}
      onSpotlightClose={onClose}
      shortcut={null}
      title={texts.search}
      scrollable
      // What the user types while the palette opens would be lost.
      transitionProps={{ duration: 0 }}
      overlayProps={{ blur: 0, backgroundOpacity: 0.3 }}
      classNames={{ header: 'visually-hidden' }}
      maxHeight={480}
    >
      <Spotlight.Search placeholder={texts.placeholder} aria-label={texts.search} onKeyDown={takeFirst} />
      <Spotlight.ActionsList data-takes-first={query !== '' || undefined}>
        {isWhole && found.length === 0 && <Spotlight.Empty>{texts.nothingFound}</Spotlight.Empty>}
        {inGroups(found).map(([group, commands]) => (
          <Spotlight.ActionsGroup key={group} label={group}>
            {commands.map((command) => (
              <Spotlight.Action
                key={command.id}
                data-first={command === found[0] || undefined}
                label={command.name}
                leftSection={<command.icon size={16} stroke={1.75} aria-hidden />}
                rightSection={command.note}
                onClick={() => run(command)}
              />
            ))}
          </Spotlight.ActionsGroup>
        ))}
      </Spotlight.ActionsList>
      <Spotlight.Footer aria-hidden>
        {KEYS.map(([key, does]) => (
          <span key={key}>
            <kbd>{key}</kbd> {does}
          </span>
        ))}
      </Spotlight.Footer>
    </Spotlight.Root>
  )
}

/**
 * Spotlight selects the first command while the user types. Webhooks, keys and events may arrive after that. Then no
 * command is selected, and Enter would do nothing.
 */
function takeFirst({ key, currentTarget }: KeyboardEvent<HTMLInputElement>): void {
  const dialog = currentTarget.closest('[role=dialog]')
  if (key !== 'Enter' || currentTarget.value === '' || dialog?.querySelector('[data-selected]')) return
  dialog?.querySelector<HTMLElement>('[data-action]')?.click()
}
