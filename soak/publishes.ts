import { randomUUID } from 'node:crypto'
import { EVENT_TYPES } from '../src/domain/event/types.ts'
import type { Answer, CallMode, SoakClient } from './client.ts'
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
  readonly #client: SoakClient
  readonly #ledger: Ledger
  readonly #random: SeededRandom

  constructor({ client, ledger, random }: Parts) {
    this.#client = client
    this.#ledger = ledger
    this.#random = random
  }

  /** One event without an id: nobody can repeat it after an uncertain answer. */
  single = () => this.#publish(this.#draw({ isBatch: false, hasIds: false }), 'once')

  /** One event without an id, with an Idempotency-Key: it is repeated until its answer is certain. */
  keyed = () => this.#publish(this.#draw({ isBatch: false, hasIds: false }), 'keyed')

  /** One event with an id of the caller's, repeated as it is until its answer is certain. */
  chosen = () => this.#publish(this.#draw({ isBatch: false, hasIds: true }), 'repeated')

  batch = () => this.#publish(this.#draw({ isBatch: true, hasIds: false }), 'once')

  chosenBatch = () => this.#publish(this.#draw({ isBatch: true, hasIds: true }), 'repeated')

  /** A publish that was answered before, once more. */
  again = async () => {
    const publish = this.#random.pick(this.#answered)
    if (publish) await this.#publish(publish, 'repeated')
  }

  #draw({ isBatch, hasIds }: { isBatch: boolean; hasIds: boolean }): Publish {
    const length = isBatch ? this.#random.integer(2, LARGEST_BATCH) : 1
    const text = 'x'.repeat(this.#random.integer(0, LONGEST_TEXT))
    const events = Array.from({ length }, () => ({
      ...(hasIds && { id: `evt_soak-${randomUUID()}` }),
      event: this.#random.pick(TYPES)!,
      data: { tag: this.#ledger.nextTag(), text },
    }))
    return { events, isBatch }
  }

  async #publish(publish: Publish, mode: CallMode): Promise<void> {
    const { events, isBatch } = publish
    const body = isBatch ? { events } : events[0]
    const answer = await this.#client.call('POST', '/api-v1-events', { body, mode })
    if (answer.status === 0) return void this.#ledger.uncertain.push(events.map(({ data: { tag } }) => tag))
    if (!this.#ledger.note('publish', answer, { good: [200, 201] })) return
    this.#enter(publish, answer)
    if (mode === 'repeated' && !this.#answered.includes(publish)) this.#answered.push(publish)
    if (this.#answered.length > REMEMBERED) this.#answered.shift()
  }

  #enter({ events }: Publish, { data, sentAtMs, answeredAtMs }: Answer) {
    const answered = [data].flat() as { id: string; deliveries: number }[]
    for (const [index, { event: type, data: sent }] of events.entries()) {
      const { id, deliveries } = answered[index]!
      this.#ledger.accept({ id, tag: sent.tag, type, deliveries, sentAtMs, answeredAtMs })
    }
  }
}
