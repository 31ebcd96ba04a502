import { randomUUID } from 'node:crypto'
import { EVENT_TYPES } from '../src/domain/event/catalog.ts'
import type { CallMode, SoakClient } from './client.ts'
import type { Ledger } from './ledger.ts'
import type { SeededRandom } from './random.ts'

/** Fewer than there are, so that an event has several subscribers. */
export const TYPES = EVENT_TYPES.slice(0, 8)

const LARGEST_BATCH = 8
const LONGEST_TEXT = 600
/** Publishes with chosen ids that may be sent once more although they were answered. */
const REMEMBERED = 100

type NewEvent = { id?: string; event: string; data: { tag: number; text: string } }
type Publish = { readonly events: readonly NewEvent[]; readonly isBatch: boolean }
type Parts = { readonly client: SoakClient; readonly ledger: Ledger; readonly random: SeededRandom }

/** Makes the publishes of the soak and enters in the ledger what came of them. */
export class Publisher {
  readonly #answered: Publish[] = []
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * Publishes one new event, or a batch of them.
   *
   * @param mode once: nobody can repeat it after an uncertain answer. keyed: it is repeated until its answer is certain.
   *   repeated: likewise, as it is, because it has ids of the caller's
   */
  publish(mode: CallMode, { isBatch = false } = {}): Promise<void> {
    const { ledger, random } = this.#parts
    const length = isBatch ? random.integer(2, LARGEST_BATCH) : 1
    const text = 'x'.repeat(random.integer(0, LONGEST_TEXT))
    const events = Array.from({ length }, () => ({
      ...(mode === 'repeated' && { id: `evt_soak-${randomUUID()}` }),
      event: random.pick(TYPES)!,
      data: { tag: ledger.nextTag(), text },
    }))
    return this.#send({ events, isBatch }, mode)
  }

  /** Sends a publish with chosen ids that was answered before once more. */
  async again(): Promise<void> {
    const publish = this.#parts.random.pick(this.#answered)
    if (publish) await this.#send(publish, 'repeated')
  }

  async #send(publish: Publish, mode: CallMode): Promise<void> {
    const { client, ledger } = this.#parts
    const { events, isBatch } = publish
    const body = isBatch ? { events } : events[0]
    const answer = await client.ask('publish', '/api-v1-events', { body, mode, good: [200, 201] })
    const { status, isDone, data: found, sentAtMs, answeredAtMs } = answer
    if (status === 0) ledger.uncertain.push(events.map(({ data: { tag } }) => tag))
    if (!isDone) return
    const answered = [found].flat() as { id: string; deliveries: number }[]
    for (const [index, { id, deliveries }] of answered.entries()) {
      const { event: type, data } = events[index]!
      ledger.accept({ id, tag: data.tag, type, deliveries, sentAtMs, answeredAtMs })
    }
    if (mode === 'repeated' && !this.#answered.includes(publish)) this.#answered.push(publish)
    if (this.#answered.length > REMEMBERED) this.#answered.shift()
  }
}
