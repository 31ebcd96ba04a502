import { createHash } from 'node:crypto'

/**
 * Random numbers that depend on the seed alone. Each part of a run forks a stream of its own, so that the timing of one part
 * does not change what another draws. The generator is mulberry32.
 */
export class SeededRandom {
  readonly #seed: string
  #state: number

  constructor(seed: string) {
    this.#seed = seed
    this.#state = createHash('sha256').update(seed).digest().readUInt32LE()
  }

  /** A stream that does not depend on what was drawn here. */
  fork(name: string): SeededRandom {
    return new SeededRandom(`${this.#seed}/${name}`)
  }

  /** Uniform in [0, 1). */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** Uniform, not whole. */
  between(least: number, most: number): number {
    return least + this.#next() * (most - least)
  }

  /** Whole, both ends included. */
  integer(least: number, most: number): number {
    return Math.floor(this.between(least, most + 1))
  }

  /** True in that share of the calls. @param share from 0 to 1 */
  isHit(share: number): boolean {
    return this.#next() < share
  }

  /** Draws a member; undefined for an empty list. */
  pick<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.#next() * list.length)]
  }

  /** The same members in another order. */
  shuffled<T>(list: readonly T[]): T[] {
    const drawn = list.map((item) => ({ item, at: this.#next() }))
    return drawn.sort((a, b) => a.at - b.at).map(({ item }) => item)
  }
}
