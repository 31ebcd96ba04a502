import { randomUUID } from 'node:crypto'

/**
 * @typedef {import('./client.mjs').SoakClient} SoakClient
 * @typedef {import('./client.mjs').Answer} Answer
 * @typedef {import('./ledger.mjs').Ledger} Ledger
 * @typedef {import('./random.mjs').SeededRandom} SeededRandom
 * @typedef {{ id?: string, event: string, data: { tag: number, text: string } }} NewEvent
 * @typedef {{ events: NewEvent[], isBatch: boolean }} Publish
 */

export const EVENT_TYPES = [
  ...['contact.created', 'contact.updated', 'contact.deleted', 'organization.created'],
  ...['organization.updated', 'deal.created', 'deal.updated', 'deal.stage_changed'],
]

const LARGEST_BATCH = 8
const LONGEST_TEXT = 600
/** Publishes with chosen ids that may be sent once more although they were answered. */
const REMEMBERED = 100

/** Makes the publishes of the soak and enters in the ledger what came of them. */
export class Publisher {
  /** @type {Publish[]} */
  #answered = []
  #client
  #ledger
  #random

  /** @param {{ client: SoakClient, ledger: Ledger, random: SeededRandom }} parts */
  constructor({ client, ledger, random }) {
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
  async again() {
    const publish = this.#random.pick(this.#answered)
    if (publish) await this.#publish(publish, 'repeated')
  }

  /** @param {{ isBatch: boolean, hasIds: boolean }} options @returns {Publish} */
  #draw({ isBatch, hasIds }) {
    const length = isBatch ? this.#random.integer(2, LARGEST_BATCH) : 1
    const text = 'x'.repeat(this.#random.integer(0, LONGEST_TEXT))
    const events = Array.from({ length }, () => ({
      ...(hasIds && { id: `evt_soak-${randomUUID()}` }),
      event: this.#random.pick(EVENT_TYPES) ?? '',
      data: { tag: this.#ledger.nextTag(), text },
    }))
    return { events, isBatch }
  }

  /** @param {Publish} publish @param {'once' | 'repeated' | 'keyed'} mode */
  async #publish(publish, mode) {
    const { events, isBatch } = publish
    const body = isBatch ? { events } : events[0]
    const answer = await this.#client.call('POST', '/api-v1-events', { body, mode })
    if (answer.status === 0) return void this.#ledger.uncertain.push(events.map(({ data: { tag } }) => tag))
    if (!this.#ledger.note('publish', answer, { good: [200, 201] })) return
    this.#enter(publish, answer)
    if (mode === 'repeated' && !this.#answered.includes(publish)) this.#answered.push(publish)
    if (this.#answered.length > REMEMBERED) this.#answered.shift()
  }

  /** @param {Publish} publish @param {Answer} answer */
  #enter({ events, isBatch }, { data, sentAtMs, answeredAtMs }) {
    const answered = isBatch ? data : [data]
    for (const [index, { event: type, data: sent }] of events.entries()) {
      const { id, deliveries } = answered[index]
      this.#ledger.accept({ id, tag: sent.tag, type, deliveries, sentAtMs, answeredAtMs })
    }
  }
}
