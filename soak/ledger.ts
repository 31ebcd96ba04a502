import { randomUUID } from 'node:crypto'
import { EVENT_TYPES } from '../src/domain/event/catalog.ts'
import type { CallMode } from './client.ts'
import type { Parts } from './webhooks.ts'

export type Call = {
  readonly method?: string
  readonly body?: unknown
  readonly mode?: CallMode
  /** The statuses that mean success. */
  readonly good: readonly number[]
  /** The statuses of refusals that the caller may meet. */
  readonly allowed?: readonly number[]
}

/**
 * An event that the api answered with 2xx. `tag` is the publisher's number of it, and `deliveries` what the api answered. Times are
 * epoch milliseconds; `sentAtMs` is that of the first try.
 */
type Accepted = {
  readonly id: string
  readonly tag: number
  readonly type: string
  readonly deliveries: number
  readonly sentAtMs: number
  readonly answeredAtMs: number
}

/** One event, or a batch of several. */
type Publish = readonly { id?: string; event: string; data: { tag: number; text: string } }[]

/** What the publishers know: the events that were accepted, and the publishes without a certain answer. */
export class Ledger {
  /** By id. */
  readonly accepted = new Map<string, Accepted>()
  /** Tags of the publishes without a certain answer, each publish by itself. */
  readonly uncertain: number[][] = []
  /** The latest publishes with chosen ids that were answered: they may be sent once more. */
  readonly answered: Publish[] = []
  /** Test events that were answered. */
  readonly tests: { deliveryId: string; isSuccess: boolean }[] = []
  /** Deliveries that were made to repeat others. */
  readonly resends: { id: string; of: string }[] = []
  /** Ids of the recoveries that were begun. */
  readonly recoveries: string[] = []
  /** Answers that contradict what the api answered before, or what it promises. */
  readonly contradictions: string[] = []
  /** The name of each call that was answered with success. */
  readonly done: string[] = []
  /** Events that were sent to the api so far. */
  sent = 0

  /** Gives an event a new number. */
  nextTag = (): number => ++this.sent

  accept(event: Accepted) {
    const before = this.accepted.get(event.id)
    if (!before) this.accepted.set(event.id, event)
    else if (before.deliveries !== event.deliveries)
      this.contradictions.push(
        `${event.id} was answered with ${before.deliveries} and ${event.deliveries} deliveries`,
      )
  }
}

/** Makes a call, and notes its answer in the ledger unless it is uncertain. @returns isDone: it was a success */
export async function ask(
  { client, ledger }: Pick<Parts, 'client' | 'ledger'>,
  name: string,
  path: string,
  { method = 'POST', body, mode = 'once', good, allowed = [] }: Call,
) {
  const sentAtMs = Date.now()
  const reply = await client.ask(method, path, body, mode)
  const { status, error } = reply
  const isDone = good.includes(status)
  if (isDone) ledger.done.push(name)
  else if (status !== 0 && !allowed.includes(status))
    ledger.contradictions.push(`${name} was answered with ${status} ${error?.code}: ${error?.message}`)
  return { ...reply, isDone, sentAtMs, answeredAtMs: Date.now() }
}

/** Only some of the event types, so that an event has several subscribers. */
export const TYPES = EVENT_TYPES.slice(0, 8)

const LARGEST_BATCH = 8
const LONGEST_TEXT = 600
/** How many publishes may be sent once more although they were answered. */
const REMEMBERED = 100

/** Publishes one new event, or a batch of them. If the call may be repeated as it is, the events have ids of the caller's. */
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
