import { v7 } from 'uuid'

/** Id prefixes by kind of record. A UUID v7 (RFC 9562) follows: the
 * time, then 74 bits that are random or count up. New rows so go to the end of their table, and no id shows how many there are. */
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
} as const

export type IdKind = keyof typeof ID_PREFIXES

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const PATTERNS = new Map(
  Object.entries(ID_PREFIXES).map(([kind, prefix]) => [kind, new RegExp(`^${prefix}_${UUID}$`)]),
)

/** A fresh id of the kind, for example `whk_0199…`. No query may order by ids alone: older ones are random. */
export const newId = (kind: IdKind): string => `${ID_PREFIXES[kind]}_${v7()}`

/** Whether the text is a well-formed id of the kind. Check it before any query: collations match texts that differ. */
export const isId = (kind: IdKind, text: string): boolean => PATTERNS.get(kind)?.test(text) ?? false

/** The id of a test event: `evt_test_` and a UUID. */
export const newTestEventId = (): string => `evt_test_${v7()}`

/** The form of event ids that a client may choose; `evt_test_…` belongs to test events. */
export const CLIENT_EVENT_ID = /^evt_(?!test_)[A-Za-z0-9_-]{1,64}$/

/** Whether a client may choose the event id. */
export const isClientEventId = (text: string): boolean => CLIENT_EVENT_ID.test(text)
