import type { FirstAttempt } from '../domain/delivery/first-attempt.ts'
import type { Deps } from '../process/deps.ts'

/** Says who makes first attempts: workflows, or this worker itself (direct). The answer may change with every call. */
export type MakerOfFirstAttempts = {
  /** Whether this worker makes first attempts itself now. The relay asks before each claim. */
  isDirect(temporal: { readonly isSlow: boolean }): boolean
  /** Whether this worker makes these first attempts itself; they are about to be claimed. */
  takes(count: number): boolean
}

type Parts = {
  readonly mode: FirstAttempt
  /** First attempts that this worker leaves to workflows in a second at most, when the mode is `adaptive`. */
  readonly perSecond: () => number
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
 * Decides by the setting. `adaptive` begins with workflows. It changes to direct as soon as a second brings more than
 * workflows should take, or Temporal is slow. It changes back after 30 s with at most half of that in each second, while
 * Temporal answers.
 */
export class FirstAttempts implements MakerOfFirstAttempts {
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

  isDirect(temporal: { readonly isSlow: boolean }): boolean {
    const { mode, nowMs } = this.#parts
    if (mode !== 'adaptive') return this.#isDirect
    if (temporal.isSlow) this.#keepDirect('Temporal is slow')
    else if (this.#isDirect && nowMs() - this.#busyAtMs >= CALM_MS) this.#change(false, 'calm again')
    return this.#isDirect
  }

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

/** Decides by the settings of this worker, and tells every change in the log and in a metric. */
export function createFirstAttempts(
  { config, log, metrics }: Deps,
  { liveWorkers }: { readonly liveWorkers: () => number },
): FirstAttempts {
  return new FirstAttempts({
    mode: config.deliveryFirstAttempt,
    perSecond: () => config.workflowFirstAttemptsPerSecond / liveWorkers(),
    nowMs: () => performance.now(),
    onChange: (isDirect, reason) => {
      metrics.directFirstAttempts.set(isDirect ? 1 : 0)
      const maker = isDirect ? 'this worker itself' : 'workflows'
      const facts = { setting: config.deliveryFirstAttempt, direct: isDirect, reason }
      log.info(facts, `first attempts are made by ${maker}`)
    },
  })
}
