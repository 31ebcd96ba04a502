import { randomUUID } from 'node:crypto'
import { EVENT_TYPES } from '../src/domain/event/catalog.ts'
import type { Parts } from './changes.ts'
import { ask, type CallMode, type Publish } from './ledger.ts'

/** Only some of the event types, so that an event has several subscribers. */
export const TYPES = EVENT_TYPES.slice(0, 8)

const LARGEST_BATCH = 8
const LONGEST_TEXT = 600
/** How many publishes may be sent once more although they were answered. */
const REMEMBERED = 100

/**
 * Publishes one new event, or a batch of them, and notes the answer in the ledger.
 *
 * @param mode once: it is not repeated after an uncertain answer. keyed: it has an Idempotency-Key, and is repeated until its
 *   answer is certain. repeated: it is repeated without a key, because its events have ids of the caller's
 */
export function publish(parts: Parts, mode: CallMode, { isBatch = false } = {}): Promise<void> {
  const { ledger, random } = parts
  const length = isBatch ? random.integer(2, LARGEST_BATCH) : 1
  const text = 'x'.repeat(random.integer(0, LONGEST_TEXT))
  const events = Array.from({ length }, () => ({
    ...(mode === 'repeated' && { id: `evt_soak-${randomUUID()}` }),
    event: random.pick(TYPES)!,
    data: { tag: ledger.nextTag(), text },
  }))
  return send(parts, events, mode)
}

/** Sends a publish with chosen ids that was answered before once more. */
export async function publishAgain(parts: Parts): Promise<void> {
  const events = parts.random.pick(parts.ledger.answered)
  if (events) await send(parts, events, 'repeated')
}

async function send(parts: Parts, events: Publish, mode: CallMode): Promise<void> {
  const { ledger } = parts
  const body = events.length > 1 ? { events } : events[0]
  const answer = await ask(parts, 'publish', '/api-v1-events', { body, mode, good: [200, 201] })
  const { status, isDone, data: found, sentAtMs, answeredAtMs } = answer
  if (status === 0) ledger.uncertain.push(events.map(({ data: { tag } }) => tag))
  if (!isDone) return
  const answered = [found].flat() as { id: string; deliveries: number }[]
  for (const [index, { id, deliveries }] of answered.entries()) {
    const { event: type, data } = events[index]!
    ledger.accept({ id, tag: data.tag, type, deliveries, sentAtMs, answeredAtMs })
  }
  if (mode === 'repeated' && !ledger.answered.includes(events)) ledger.answered.push(events)
  if (ledger.answered.length > REMEMBERED) ledger.answered.shift()
}
