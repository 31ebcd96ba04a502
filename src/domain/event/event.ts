import { createHash } from 'node:crypto'
import type { Actor } from '../actor.ts'
import { invalid, retryLater } from '../errors.ts'
import { isId } from '../ids.ts'
import { isLongerThan, isStorable } from '../fields/storable.ts'

/** The type and the `api_version` of a test event, by the specification (Test event). */
export const TEST_EVENT_TYPE = 'test.webhook'
export const TEST_EVENT_API_VERSION = '2025-12-01'

/** The largest serialised `data` of an event, in bytes. `previous` has the same limit. */
export const EVENT_DATA_LIMIT_BYTES = 256 * 1024

/** The longest `subject` of an event, in characters. */
export const LONGEST_SUBJECT = 100

/** The parts of an event other than its data: its subject, and how the subject changed. Absent parts are not sent. */
export type EventContext = {
  /** The record that the event is about, or the subject that a client gave. */
  readonly subject?: string | undefined
  /** How many changes the subject had, this one included. Of two events of a subject, the one with the higher number is newer. */
  readonly revision?: number | undefined
  /** The former values of the fields that changed. */
  readonly previous?: object | undefined
}

/** The content of an event, as it is published. */
export type EventContent = EventContext & { readonly type: string; readonly data: object }

/** The origin of an event: somebody published it directly, it reports a change of a record, or it is a test event. */
export const PUBLISH_WAYS = ['event', 'record', 'test'] as const
export type PublishWay = (typeof PUBLISH_WAYS)[number]

/** Who published an event, and how. `id` is the id of an Actor. */
export type Publisher = { readonly id: string; readonly via: PublishWay }

/** The publisher to store for an actor; null without an actor. */
export const publisherOf = (actor: Actor | undefined, via: PublishWay): Publisher | null =>
  actor ? { id: actor.id, via } : null

/** A publisher with the name of the key or the user. The name is null for other publishers. */
export type NamedPublisher = Publisher & { readonly name: string | null }

export const PUBLISHER_TYPES = ['key', 'user', 'cli'] as const

/** The type of publisher to which an id belongs. */
export function publisherType(id: string): (typeof PUBLISHER_TYPES)[number] {
  if (isId('apiKey', id)) return 'key'
  return isId('user', id) ? 'user' : 'cli'
}

/** An event as it is stored. `body` holds the exact bytes that every delivery of it sends. */
export type StoredEvent = {
  readonly id: string
  readonly type: string
  readonly body: Buffer
  /** A hash of the content. An event that comes with a known id but other content is refused. */
  readonly fingerprint: Buffer
  readonly deliveries: number
  readonly createdAt: Date
  /** null if it is not known. */
  readonly publisher: Publisher | null
  /** The trace context of the publish; null outside a trace. */
  readonly traceparent: string | null
  /** The id of the record that the event is about, for searches; see recordOf. */
  readonly record?: string | undefined
}

/** An event as a list shows it. */
export type ListedEvent = {
  readonly id: string
  readonly type: string
  readonly createdAt: Date
  /** How many webhooks it went to. */
  readonly deliveries: number
  /** The record that it is about. null if there is none, or a process of a former release wrote the event. */
  readonly record: string | null
  /** The name of that record; see recordNameOf. */
  readonly recordName: string | null
  /** The bytes that were sent; null if the list leaves them out. */
  readonly payload: Buffer | null
}

/**
 * The record that an event is about: its subject or, without a subject, the `id` in its data. That `id` may be a text
 * or a number. undefined if it is anything else, is too long or cannot be stored.
 */
function recordOf({ subject, data }: Pick<EventContent, 'subject' | 'data'>): string | undefined {
  const { id } = data as { readonly id?: unknown }
  const record = subject ?? (typeof id === 'number' ? String(id) : id)
  const fits = typeof record === 'string' && isStorable(record) && !isLongerThan(record, LONGEST_SUBJECT)
  return fits ? record : undefined
}

/**
 * Builds the envelope that the specification asks for (Events). It is built only once, as bytes that are stored, signed and
 * sent unchanged. A JSON column might reorder the keys.
 *
 * @throws ApiError VALIDATION_ERROR if `data` or `previous` is larger than EVENT_DATA_LIMIT_BYTES
 */
export function createEvent({
  id,
  now,
  apiVersion,
  type,
  subject,
  revision,
  data,
  previous,
  publisher = null,
}: EventContent & {
  readonly id: string
  readonly now: Date
  /** Only test events have it. */
  readonly apiVersion?: string
  readonly publisher?: Publisher | null
}): StoredEvent {
  const dataText = textOf('data', data)
  const start = { id, event: type, created_at: now.toISOString(), api_version: apiVersion }
  const head = JSON.stringify({ ...start, subject, revision })
  const tail = previous === undefined ? '' : `,"previous":${textOf('previous', previous)}`
  // Without a context the fingerprint is as in former releases. So we recognise a publish that a client repeats after
  // an upgrade.
  const context = JSON.stringify({ subject, revision }) + tail
  const content = [type, dataText, ...(context === '{}' ? [] : [context])]
  return {
    id,
    type,
    body: Buffer.from(`${head.slice(0, -1)},"data":${dataText}${tail}}`),
    // NUL separates the parts, because JSON text never contains it.
    fingerprint: createHash('sha256').update(content.join('\0')).digest(),
    deliveries: 0,
    createdAt: now,
    publisher,
    traceparent: null,
    record: recordOf({ subject, data }),
  }
}

function textOf(name: string, part: object): string {
  const text = JSON.stringify(part)
  if (Buffer.byteLength(text) <= EVENT_DATA_LIMIT_BYTES) return text
  throw invalid(`The ${name} of an event must not be larger than ${EVENT_DATA_LIMIT_BYTES} bytes.`)
}

/**
 * A test event. By the specification (Test event) its type is test.webhook, it has an `api_version`, and its data has
 * `message` and `webhook_id`.
 *
 * @param content replaces this type and this data, for a test with a type that webhooks can subscribe to
 */
export function createTestEvent({
  id,
  webhookId,
  now,
  publisher = null,
  content = {
    type: TEST_EVENT_TYPE,
    data: { message: 'This is a test event.', webhook_id: webhookId },
  },
}: {
  readonly id: string
  readonly webhookId: string
  readonly now: Date
  readonly publisher?: Publisher | null
  readonly content?: EventContent | undefined
}): StoredEvent {
  return {
    ...createEvent({ ...content, id, now, publisher, apiVersion: TEST_EVENT_API_VERSION }),
    deliveries: 1,
  }
}

/** The longest time from the creation of an event to the last statement of its transaction, in milliseconds. */
export const LATEST_COMMIT_MS = 30_000

/**
 * Refuses to write events that were created too long ago. A list by time shows an event at its creation time. If an event
 * were committed much later, a reader that asks again and again for the latest two minutes would miss it.
 *
 * @throws ApiError SERVICE_UNAVAILABLE
 */
export function refuseLateEvents(events: readonly StoredEvent[], now: Date): void {
  if (events.every(({ createdAt }) => now.getTime() - createdAt.getTime() <= LATEST_COMMIT_MS)) return
  throw retryLater('SERVICE_UNAVAILABLE', 'It took too long to write the events: publish again.', 5_000)
}
