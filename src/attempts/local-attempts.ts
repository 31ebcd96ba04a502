import { setLatest } from '../domain/latest.ts'
import type { AttemptReport } from '../domain/delivery/view.ts'

/**
 * How many there may be at once. Every 8 s each one tells Temporal that its task goes on, which takes Temporal some 20 ms.
 * With many more that hang, the last would be too late: Temporal gives a task up after 10 s.
 */
const MOST = 40

/** The first attempts that this process makes within the tasks of their workflows. Each keeps its task open. */
export class LocalAttempts {
  readonly #underWay = new Map<string, Promise<AttemptReport>>()

  /** Whether the next first attempt has to be an ordinary activity. */
  isFull(): boolean {
    return this.#underWay.size >= MOST
  }

  /** Makes the delivery's attempt, or waits for it: a task that Temporal gave up comes again while its attempt goes on. */
  make(deliveryId: string, attempt: () => Promise<AttemptReport>): Promise<AttemptReport> {
    const known = this.#underWay.get(deliveryId)
    if (known) return known
    const underWay = attempt().finally(() => this.#underWay.delete(deliveryId))
    this.#underWay.set(deliveryId, underWay)
    return underWay
  }
}

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
