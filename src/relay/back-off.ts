import { isSlow } from '../domain/temporal-errors.js'

/** One back-off for all calls of a relay to Temporal. */
export type BackOff = {
  /** How many of `free` rows may be claimed now: all, or one or none while Temporal is slow. */
  room(free: number): number
  /**
   * Makes a call, and learns from how it ended.
   *
   * @throws HeldBackError, without a call, while Temporal is slow and no probe is due; otherwise what the call throws
   */
  call<T>(rpc: () => Promise<T>): Promise<T>
}

/** A call that was not made, because Temporal is slow. */
export class HeldBackError extends Error {
  override readonly name = 'HeldBackError'
  constructor() {
    super('Temporal is slow: the call is held back')
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

const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 10_000
/** When Temporal is slow again this soon after it recovered, the pauses go on from where they ended. */
const RELAPSE_MS = 10_000

/**
 * Exponential back-off that all calls share. While every call is answered it does nothing. Once Temporal is away or
 * overloaded it lets one call through after each pause, the probe. A probe that fails doubles the pause; the first one
 * that is answered ends the back-off.
 */
export function createBackOff({ nowMs, random, onChange }: Parts): BackOff {
  /** Decides the pause: each failed call that counts raises it; 0 at full speed. */
  let level = 0
  let levelBefore = 0
  let recoveredAtMs = Number.NEGATIVE_INFINITY
  let probeAtMs = 0
  let isProbing = false
  /** Rises with each change of the level. The result of a call that began before the latest change is ignored. */
  let epoch = 0

  function slowDown(error: unknown): void {
    const isNew = level === 0
    const isRelapse = isNew && nowMs() - recoveredAtMs < RELAPSE_MS
    level = (isRelapse ? levelBefore : level) + 1
    epoch += 1
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (level - 1), LONGEST_PAUSE_MS)
    probeAtMs = nowMs() + pauseMs * (1 - random() / 2)
    if (isNew) onChange(true, error)
  }

  function recover(): void {
    if (level === 0) return
    levelBefore = level
    level = 0
    epoch += 1
    recoveredAtMs = nowMs()
    onChange(false)
  }

  const mayProbe = () => !isProbing && nowMs() >= probeAtMs

  return {
    room(free) {
      if (level === 0) return free
      return mayProbe() ? Math.min(free, 1) : 0
    },
    async call(rpc) {
      const isProbe = level > 0
      if (isProbe && !mayProbe()) throw new HeldBackError()
      if (isProbe) isProbing = true
      const epochAtStart = epoch
      try {
        const result = await rpc()
        if (epoch === epochAtStart) recover()
        return result
      } catch (error) {
        if (epoch === epochAtStart) {
          if (isSlow(error)) slowDown(error)
          else recover()
        }
        throw error
      } finally {
        if (isProbe) isProbing = false
      }
    },
  }
}
