import { createHash } from 'node:crypto'

/**
 * Random numbers that depend on the seed alone. Each user forks a stream of its own, so that the timing of one does not
 * change what another draws. The generator is mulberry32.
 */
export class SeededRandom {
  #seed
  #state

  /** @param {string} seed */
  constructor(seed) {
    this.#seed = seed
    this.#state = createHash('sha256').update(seed).digest().readUInt32LE()
  }

  /** @param {string} name @returns {SeededRandom} a stream that does not depend on what was drawn here */
  fork(name) {
    return new SeededRandom(`${this.#seed}/${name}`)
  }

  /** @returns {number} uniform in [0, 1) */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** @param {number} least @param {number} most @returns {number} uniform, not whole */
  between(least, most) {
    return least + this.next() * (most - least)
  }

  /** @param {number} least @param {number} most @returns {number} whole, both included */
  integer(least, most) {
    return Math.floor(this.between(least, most + 1))
  }

  /** @param {number} share from 0 to 1 @returns {boolean} true in that share of the calls */
  isHit(share) {
    return this.next() < share
  }

  /**
   * @template T
   * @param {readonly T[]} list
   * @returns {T | undefined} undefined for an empty list
   */
  pick(list) {
    return list[Math.floor(this.next() * list.length)]
  }

  /**
   * @template T
   * @param {readonly { weight: number, item: T }[]} choices at least one
   * @returns {T}
   */
  weighted(choices) {
    let left = this.next() * choices.reduce((sum, { weight }) => sum + weight, 0)
    const found = choices.find(({ weight }) => (left -= weight) < 0)
    return /** @type {{ item: T }} */ (found ?? choices.at(-1)).item
  }

  /**
   * @template T
   * @param {readonly T[]} list
   * @returns {T[]} the same members in another order
   */
  shuffled(list) {
    const drawn = list.map((item) => ({ item, at: this.next() }))
    return drawn.sort((a, b) => a.at - b.at).map(({ item }) => item)
  }
}
