import { v7 } from 'uuid'

/**
 * The id prefix of each entity. A UUID v7 (RFC 9562) follows: the time, then 74 bits that are random or count up. So
 * new rows go to the end of their table, and an id does not show how many rows there are.
 */
export const ID_PREFIXES = {
  company: 'com',
  user: 'usr',
  apiKey: 'key',
  webhook: 'whk',
  delivery: 'del',
  event: 'evt',
  contact: 'con',
  organization: 'org',
  deal: 'deal',
  task: 'task',
  activity: 'act',
  recovery: 'rec',
  notice: 'ntc',
  noticeBatch: 'ntb',
  mail: 'mai',
  savedFilter: 'flt',
  accessLink: 'lnk',
  noticeChannel: 'nch',
} as const

/** The entity that an id belongs to, in the singular: `webhook`, `contact`. */
export type Entity = keyof typeof ID_PREFIXES

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const PATTERNS = Object.fromEntries(
  Object.entries(ID_PREFIXES).map(([entity, idPrefix]) => [entity, new RegExp(`^${idPrefix}_${UUID}$`)]),
) as Readonly<Record<Entity, RegExp>>

/** A new id for the entity, such as `whk_0199…`. No query may order by ids alone, because older ids are random. */
export const newId = (entity: Entity): string => `${ID_PREFIXES[entity]}_${v7()}`

/** When an id was made, to the millisecond. undefined for an id of release 0.2.0 or before, because it contains no time. */
export function madeAt(id: string): Date | undefined {
  const match = /_([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id)
  return match ? new Date(parseInt(`${match[1]}${match[2]}`, 16)) : undefined
}

/**
 * Whether the text is a well-formed id of the entity. Call it before a query: the database may match other spellings.
 */
export const isId = (entity: Entity, text: string): boolean => PATTERNS[entity].test(text)

const TEST_EVENT_PREFIX = 'evt_test_'

/** The id of a test event: `evt_test_` and a UUID. */
export const newTestEventId = (): string => `${TEST_EVENT_PREFIX}${v7()}`

/** Whether the event is a test event. Its id decides, because test events may have any type. */
export const isTestEventId = (id: string): boolean => id.startsWith(TEST_EVENT_PREFIX)

/** The form of event ids that a client may choose. Ids `evt_test_…` are only for test events. */
export const CLIENT_EVENT_ID = /^evt_(?!test_)[A-Za-z0-9_-]{1,64}$/

/** Whether a client may choose the event id. */
export const isClientEventId = (text: string): boolean => CLIENT_EVENT_ID.test(text)

/** The form of all event ids: our own, those that clients chose, and `evt_test_…`. */
export const EVENT_ID = /^evt_[A-Za-z0-9_-]{1,64}$/

/** Whether the text may be the id of an event. */
export const isEventId = (text: string): boolean => EVENT_ID.test(text)
