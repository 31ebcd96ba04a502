import type { FirstAttempt } from '../domain/delivery/first-attempt.js'

type Parts = {
  readonly mode: FirstAttempt
  /** First attempts that this worker leaves to workflows in a second at most, when the mode is `adaptive`. */
  readonly perSecond: () => number
  readonly isTemporalSlow: () => boolean
  /** Milliseconds since any fixed moment. */
  readonly nowMs: () => number
  /** Called with each change, and once at the beginning. */
  readonly onChange: (isDirect: boolean, reason: string) => void
}

const WINDOW_MS = 1_000
/** So long it must be calm before workflows make first attempts again. */
const CALM_MS = 30_000
/** What counts as calm: this share of the first attempts that end the calm. */
const CALM_SHARE = 0.5

/**
 * Decides who makes first attempts: workflows, or this worker itself (direct). `adaptive` begins with workflows. It
 * changes to direct as soon as a second brings more than workflows should take, or Temporal is slow. It changes back
 * after 30 s with at most half of that in each second, while Temporal answers.
 */
export class FirstAttempts {
  readonly #parts: Parts
  #isDirect: boolean
  #windowStartMs = -Infinity
  #inWindow = 0
  #busyAtMs = -Infinity

  constructor(parts: Parts) {
    this.#parts = parts
    this.#isDirect = parts.mode === 'direct'
    parts.onChange(this.#isDirect, 'started')
  }

  /** Whether this worker makes first attempts itself now. Call it before each claim. */
  isDirect(): boolean {
    const { mode, nowMs, isTemporalSlow } = this.#parts
    if (mode !== 'adaptive') return this.#isDirect
    if (isTemporalSlow()) this.#keepDirect('Temporal is slow')
    else if (this.#isDirect && nowMs() - this.#busyAtMs >= CALM_MS) this.#change(false, 'calm again')
    return this.#isDirect
  }

  /** Whether this worker makes these first attempts itself; they are about to be claimed. */
  takes(count: number): boolean {
    const { mode, perSecond, nowMs } = this.#parts
    if (mode !== 'adaptive') return this.#isDirect
    if (nowMs() - this.#windowStartMs >= WINDOW_MS) {
      this.#windowStartMs = nowMs()
      this.#inWindow = 0
    }
    this.#inWindow += count
    const limit = perSecond()
    if (this.#inWindow > limit) this.#keepDirect('many first attempts')
    else if (this.#inWindow > limit * CALM_SHARE) this.#busyAtMs = nowMs()
    return this.#isDirect
  }

  #keepDirect(reason: string): void {
    this.#busyAtMs = this.#parts.nowMs()
    if (!this.#isDirect) this.#change(true, reason)
  }

  #change(isDirect: boolean, reason: string): void {
    this.#isDirect = isDirect
    this.#parts.onChange(isDirect, reason)
  }
}
