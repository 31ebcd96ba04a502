import { isId } from '../ids.ts'

/** How an event came to be: it was published as such, it tells of a change of a record, or it is a test event. */
export const PUBLISH_WAYS = ['event', 'record', 'test'] as const
export type PublishWay = (typeof PUBLISH_WAYS)[number]

/** Who published an event, and how. `id`: of an Actor. */
export type Publisher = { readonly id: string; readonly via: PublishWay }

export const PUBLISHER_TYPES = ['key', 'user', 'cli'] as const

/** What an id of a publisher belongs to. */
export function publisherType(id: string): (typeof PUBLISHER_TYPES)[number] {
  if (isId('apiKey', id)) return 'key'
  return isId('user', id) ? 'user' : 'cli'
}
