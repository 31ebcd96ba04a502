import type { Actor } from '../actor.ts'
import { isId } from '../ids.ts'

/** How an event came to be: it was published as such, it tells of a change of a record, or it is a test event. */
export const PUBLISH_WAYS = ['event', 'record', 'test'] as const
export type PublishWay = (typeof PUBLISH_WAYS)[number]

/** Who published an event, and how. `id`: of an Actor. */
export type Publisher = { readonly id: string; readonly via: PublishWay }

/** The publisher to be stored for an actor; null where nobody is told. */
export const publisherOf = (actor: Actor | undefined, via: PublishWay): Publisher | null =>
  actor ? { id: actor.id, via } : null

/** A publisher with the name of the key or the user; null for every other one. */
export type NamedPublisher = Publisher & { readonly name: string | null }

export const PUBLISHER_TYPES = ['key', 'user', 'cli'] as const

/** What an id of a publisher belongs to. */
export function publisherType(id: string): (typeof PUBLISHER_TYPES)[number] {
  if (isId('apiKey', id)) return 'key'
  return isId('user', id) ? 'user' : 'cli'
}
