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
