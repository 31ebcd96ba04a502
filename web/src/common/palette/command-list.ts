import type { Key, Permission, WebhookName } from '../api/wire.ts'
import { searchQuery } from '../filters/search.ts'
import { SECTIONS, type Section } from '../layout/sections.ts'
import * as icons from '../ui/icons.ts'
import type { Command } from './commands.ts'
import { texts } from './texts.ts'

type Offer = {
  readonly permissions: readonly Permission[]
  readonly webhooks: readonly WebhookName[]
  readonly keys: readonly Pick<Key, 'id' | 'name' | 'prefix'>[]
  /** The command for a typed id. It opens the page of the id, even if no list shows it. */
  readonly text: string
}

/** The page of an id, by the prefix of the id. */
const PLACES: readonly (readonly [prefix: string, kind: string, icon: Section['icon'], href: string])[] = [
  ['whk_', texts.webhook, icons.IconWebhook, '/webhooks/'],
  ['key_', texts.apiKey, icons.IconKey, '/keys/'],
  ['evt_', texts.event, icons.IconBolt, '/events/'],
  ['del_', texts.delivery, icons.IconSend, '/deliveries?q='],
]

/** All commands: first the one for a typed id, then pages, actions, webhooks and keys. */
export function commandsFor({ permissions, webhooks, keys, text }: Offer): readonly Command[] {
  const may = (action: Permission | undefined) => action === undefined || permissions.includes(action)
  const id = text.trim()
  const ids = PLACES.filter(([prefix]) => id.startsWith(prefix) && id.length > prefix.length)
  const actions = [
    { action: 'webhooks.write', name: texts.createWebhook, icon: icons.IconWebhook, href: '/webhooks/new' },
    { action: 'keys.create', name: texts.createApiKey, icon: icons.IconKey, href: '/keys/new' },
    { action: 'users.create', name: texts.addUser, icon: icons.IconUsers, href: '/users/new' },
  ] as const
  return [
    ...ids.map(([, kind, icon, href]) => ({
      id,
      name: id,
      group: texts.goTo,
      note: kind,
      icon,
      href: `${href}${encodeURIComponent(id)}`,
    })),
    ...SECTIONS.filter(({ action }) => may(action)).map(({ href, name, icon }) => ({
      id: href,
      name,
      group: texts.goTo,
      icon,
      href,
    })),
    ...actions
      .filter(({ action }) => may(action))
      .map(({ name, icon, href }) => ({ id: href, name, group: texts.actions, icon, href })),
    ...webhooks.map((webhook) => ({
      id: webhook.id,
      name: webhook.name,
      group: texts.webhooks,
      icon: icons.IconWebhook,
      href: `/webhooks/${webhook.id}`,
    })),
    ...keys.map((key) => ({
      id: key.id,
      name: `${key.name} ${key.prefix}`,
      group: texts.apiKeys,
      icon: icons.IconKey,
      href: `/keys/${key.id}`,
    })),
    ...(may('webhooks.test')
      ? webhooks.map((webhook) => ({
          id: `test/${webhook.id}`,
          name: texts.sendTestEventTo({ name: webhook.name }),
          group: texts.actions,
          icon: icons.IconSend,
          href: `/webhooks/${webhook.id}`,
          testOf: webhook,
        }))
      : []),
  ]
}

/**
 * The commands that search for the typed text, if it is long enough. They come after the commands with the text in their names.
 */
export function searchesFor(text: string, permissions: readonly Permission[]): readonly Command[] {
  const query = searchQuery(text)
  if (Object.keys(query).length === 0) return []
  const q = encodeURIComponent(text.trim())
  const wanted = { text: text.trim() }
  const searches = [
    { action: 'deliveries.read', name: texts.searchDeliveriesFor(wanted), href: `/deliveries?q=${q}` },
    { action: 'events.read', name: texts.searchEventsFor(wanted), href: `/events?q=${q}` },
  ] as const
  return searches
    .filter(({ action }) => permissions.includes(action))
    .map(({ name, href }) => ({ id: href, name, group: texts.search, icon: icons.IconSearch, href }))
}
