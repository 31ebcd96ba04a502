import type { AttemptReport } from '../domain/delivery/attempt-report.ts'

/**
 * How many there are at once. Each tells Temporal every 8 s that its task goes on, and Temporal needs some 20 ms for that. If
 * many more hung together, the last of them would be later than the 10 s after which Temporal gives a task up.
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
