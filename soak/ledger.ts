/**
 * @typedef {object} Accepted an event that the api answered with 2xx
 * @property {string} id
 * @property {number} tag the publisher's number of the event
 * @property {string} type
 * @property {number} deliveries as the api answered
 * @property {number} sentAtMs when it was sent first, epoch
 * @property {number} answeredAtMs
 */

/** What the publishers know: the events that were accepted, and those of which nobody told what became of them. */
export class Ledger {
  /** @type {Map<string, Accepted>} by id */
  accepted = new Map()
  /** @type {number[][]} tags of the publishes without a certain answer, each publish by itself */
  uncertain = []
  /** @type {{ deliveryId: string, isSuccess: boolean }[]} test events that were answered */
  tests = []
  /** @type {{ id: string, of: string }[]} deliveries that were made to repeat others */
  resends = []
  /** @type {string[]} recoveries that were begun */
  recoveries = []
  /** @type {string[]} answers that contradict what the api answered before, or what it promises */
  contradictions = []
  /** @type {Map<string, number>} how often each change or request was answered with success */
  done = new Map()
  #tags = 0

  /** @returns {number} a new number for an event */
  nextTag() {
    return ++this.#tags
  }

  /** @returns {number} events that were sent to the api so far */
  get sent() {
    return this.#tags
  }

  /**
   * Notes the answer to a change or a request. An answer without a certain status says nothing.
   *
   * @param {string} name
   * @param {import('./client.mjs').Answer} answer
   * @param {{ good: number[], allowed?: number[] }} statuses allowed: refusals that the caller may meet
   * @returns {boolean} whether it was answered with success
   */
  note(name, { status, error }, { good, allowed = [] }) {
    if (good.includes(status)) this.done.set(name, (this.done.get(name) ?? 0) + 1)
    else if (status !== 0 && !allowed.includes(status))
      this.contradictions.push(`${name} was answered with ${status} ${error?.code}: ${error?.message}`)
    return good.includes(status)
  }

  /** @param {Accepted} event */
  accept(event) {
    const before = this.accepted.get(event.id)
    if (!before) this.accepted.set(event.id, event)
    else if (before.deliveries !== event.deliveries)
      this.contradictions.push(
        `a repeat of ${event.id} was answered with ${event.deliveries} deliveries, and ${before.deliveries} before`,
      )
  }
}
