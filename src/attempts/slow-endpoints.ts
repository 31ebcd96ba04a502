import { setLatest } from '../domain/latest.ts'

/** An attempt that took longer made its endpoint a slow one. Temporal keeps the task of a workflow for 10 s. */
const SLOW_MS = 3_000
/** The endpoints that were slow longest ago are forgotten. */
const MOST_KNOWN = 10_000

/**
 * Remembers the endpoints whose latest attempt took long, as this process saw it. A first attempt to one of them would keep
 * the task of its workflow open, so it is an ordinary activity (docs/decisions, A workflow's first attempt is a local activity).
 */
export class SlowEndpoints {
  readonly #slow = new Map<string, true>()

  /** Takes in how long an attempt took, in milliseconds. */
  learn(webhookId: string, tookMs: number): void {
    if (tookMs > SLOW_MS) setLatest(this.#slow, webhookId, true, MOST_KNOWN)
    else this.#slow.delete(webhookId)
  }

  /** Whether the latest attempt took longer than 3 s. */
  has(webhookId: string): boolean {
    return this.#slow.has(webhookId)
  }
}
