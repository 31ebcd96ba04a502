import { createHash } from 'node:crypto'
import { ApiError } from '../errors.ts'

/** Spec, Test event: its type and its `api_version`. */
export const TEST_EVENT_TYPE = 'test.webhook'
export const TEST_EVENT_API_VERSION = '2025-12-01'

/** Largest serialised `data` of an event, in bytes. */
export const EVENT_DATA_LIMIT_BYTES = 256 * 1024

/** An event as it is stored: `body` holds the exact bytes that every delivery of it sends. */
export type StoredEvent = {
  readonly id: string
  readonly type: string
  readonly body: Buffer
  readonly fingerprint: Buffer
  readonly deliveries: number
  readonly createdAt: Date
}

/** Identifies the content of a publish, so that the same id with another content can be refused. */
const eventFingerprint = (type: string, dataText: string): Buffer =>
  createHash('sha256').update(type).update('\0').update(dataText).digest()

/**
 * Builds the envelope that the specification asks for (Events). It is built once, as bytes that are stored, signed and
 * sent unchanged: a JSON column may reorder keys.
 *
 * @throws ApiError VALIDATION_ERROR when the data is larger than EVENT_DATA_LIMIT_BYTES
 */
export function createEvent(input: { id: string; type: string; data: object; now: Date }): StoredEvent {
  const dataText = JSON.stringify(input.data)
  if (Buffer.byteLength(dataText) > EVENT_DATA_LIMIT_BYTES) {
    throw new ApiError(
      'VALIDATION_ERROR',
      `The data of an event must not be larger than ${EVENT_DATA_LIMIT_BYTES} bytes.`,
    )
  }
  const head = JSON.stringify({ id: input.id, event: input.type, created_at: input.now.toISOString() })
  return {
    id: input.id,
    type: input.type,
    body: Buffer.from(`${head.slice(0, -1)},"data":${dataText}}`),
    fingerprint: eventFingerprint(input.type, dataText),
    deliveries: 0,
    createdAt: input.now,
  }
}

/** Spec, Test event: type test.webhook, `api_version`, and data with `message` and `webhook_id`. */
export function createTestEvent(input: { id: string; webhookId: string; now: Date }): StoredEvent {
  const body = JSON.stringify({
    id: input.id,
    event: TEST_EVENT_TYPE,
    created_at: input.now.toISOString(),
    api_version: TEST_EVENT_API_VERSION,
    data: { message: 'This is a test event.', webhook_id: input.webhookId },
  })
  return {
    id: input.id,
    type: TEST_EVENT_TYPE,
    body: Buffer.from(body),
    fingerprint: eventFingerprint(TEST_EVENT_TYPE, body),
    deliveries: 1,
    createdAt: input.now,
  }
}

/** The longest time from the making of an event to the last statement of its transaction. */
const LATEST_COMMIT_MS = 30_000

/**
 * Refuses to write events that were made too long ago. A list by time shows an event where it was made, so a reader that asks
 * again for the latest two minutes would miss one that appears later.
 *
 * @throws ApiError SERVICE_UNAVAILABLE
 */
export function refuseLateEvents(events: readonly StoredEvent[], now: Date): void {
  if (events.every(({ createdAt }) => now.getTime() - createdAt.getTime() <= LATEST_COMMIT_MS)) return
  const headers = { 'Retry-After': '5' }
  throw new ApiError('SERVICE_UNAVAILABLE', 'It took too long to write the events: publish again.', {
    headers,
  })
}
