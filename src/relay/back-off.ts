import { doublingPause } from '../domain/doubling.ts'
import { isSlow } from '../process/temporal/errors.ts'

/** A call that was not made, because Temporal is slow. */
export class TemporalSlowError extends Error {
  override readonly name = 'TemporalSlowError'
  constructor() {
    super('Temporal is slow: the call is not made')
  }
}

type Parts = {
  /** Milliseconds since any fixed moment. */
  readonly nowMs: () => number
  /** Uniform in [0, 1), for the jitter. */
  readonly random: () => number
  /** Called when the back-off begins and when it ends, with the error that began it. */
  readonly onChange: (isSlow: boolean, error?: unknown) => void
}

const PAUSE_MS = { first: 200, longest: 10_000 }
/** If Temporal is slow again within this time after it recovered, the pauses continue with the next longer one. */
const RELAPSE_MS = 10_000

/**
 * An exponential back-off that all calls of a relay to Temporal share. With a back-off for each row, a hundred rows
 * would send a hundred calls to an overloaded server. While Temporal answers every call, the back-off does nothing.
 * When Temporal is away or overloaded, the back-off lets one call through after each pause, the probe. A failed probe
 * doubles the pause. The first answered probe ends the back-off.
 */
export class BackOff {
  readonly #parts: Parts
  /** 0 at full speed. Each call that shows that Temporal is slow adds 1, which doubles the pause. For exceptions see #epoch. */
  #level = 0
  #levelAtRecovery = 0
  #recoveredAtMs = Number.NEGATIVE_INFINITY
  #probeAtMs = 0
  #isProbing = false
  /** Rises with each change of the level. The result of a call that began before the latest change is ignored. */
  #epoch = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Returns how many of `free` rows may be claimed now: all rows, or at most one while Temporal is slow. */
  room(free: number): number {
    if (this.#level === 0) return free
    return this.#mayProbe() ? Math.min(free, 1) : 0
  }

  /**
   * Makes a call, and learns from its result whether Temporal is slow.
   *
   * @throws TemporalSlowError, without a call, while Temporal is slow and no probe is due; otherwise the error of the call
   */
  async call<T>(rpc: () => Promise<T>): Promise<T> {
    const isProbe = this.#level > 0
    if (isProbe && !this.#mayProbe()) throw new TemporalSlowError()
    if (isProbe) this.#isProbing = true
    const epochAtStart = this.#epoch
    try {
      const result = await rpc()
      if (this.#epoch === epochAtStart) this.#recover()
      return result
    } catch (error) {
      if (this.#epoch === epochAtStart) {
        if (isSlow(error)) this.#slowDown(error)
        else this.#recover()
      }
      throw error
    } finally {
      if (isProbe) this.#isProbing = false
    }
  }

  #mayProbe(): boolean {
    return !this.#isProbing && this.#parts.nowMs() >= this.#probeAtMs
  }

  #slowDown(error: unknown): void {
    const { nowMs, random, onChange } = this.#parts
    const isNew = this.#level === 0
    const isRelapse = isNew && nowMs() - this.#recoveredAtMs < RELAPSE_MS
    this.#level = (isRelapse ? this.#levelAtRecovery : this.#level) + 1
    this.#epoch += 1
    this.#probeAtMs = nowMs() + doublingPause(PAUSE_MS, this.#level - 1) * (1 - random() / 2)
    if (isNew) onChange(true, error)
  }

  #recover(): void {
    if (this.#level === 0) return
    this.#levelAtRecovery = this.#level
    this.#level = 0
    this.#epoch += 1
    this.#recoveredAtMs = this.#parts.nowMs()
    this.#parts.onChange(false)
  }
}
