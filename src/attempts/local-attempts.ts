import type { AttemptReport } from '../domain/delivery/view.ts'

/**
 * Every 8 s each attempt tells Temporal that its task goes on, which takes Temporal about 20 ms. With many more hung
 * attempts the last would tell it too late: Temporal gives up a task after 10 s.
 */
const MOST_AT_ONCE = 40

/** The first attempts that this process makes within the tasks of their workflows. Each keeps its task open. */
export class LocalAttempts {
  readonly #underWay = new Map<string, Promise<AttemptReport>>()

  /** Whether the next first attempt has to be an ordinary activity. */
  isFull(): boolean {
    return this.#underWay.size >= MOST_AT_ONCE
  }

  /** Makes the delivery's attempt, or joins it: a task that Temporal gave up may come again during its attempt. */
  make(deliveryId: string, attempt: () => Promise<AttemptReport>): Promise<AttemptReport> {
    const known = this.#underWay.get(deliveryId)
    if (known) return known
    const underWay = attempt().finally(() => this.#underWay.delete(deliveryId))
    this.#underWay.set(deliveryId, underWay)
    return underWay
  }
}
