import { wakeRecoveries } from '../db/system/recovery-wakes.ts'
import { Sums } from '../domain/sums.ts'
import type { Deps } from '../process/deps.ts'
import type { Recording } from './record-batch.ts'

/** Attempts and probes of so long are looked at together: one statement for all recoveries that may be concerned. */
const TOGETHER_MS = 50

/**
 * Wakes recoveries that wait: once enough of the attempts that they queued are recorded, and when their endpoint's circuit breaker
 * opens, closes or has another probe behind it. A wake-up that is lost with its process comes by the timer of the workflow.
 */
export class RecoveryWakes {
  readonly #deps: Pick<Deps, 'db' | 'log' | 'doorbell'>
  /** Webhooks by id; `true`: wake its recovery however many attempts are to come. */
  readonly #noted = new Sums<boolean>((isChanged, again) => isChanged || again)

  constructor(deps: Pick<Deps, 'db' | 'log' | 'doorbell'>) {
    this.#deps = deps
  }

  /** Notes what was recorded. Call it after the commit. */
  recorded({ attempts, health }: Pick<Recording, 'attempts' | 'health'>): void {
    for (const { made } of attempts) if (made.trigger === 'recovery') this.#note(made.webhookId, false)
    for (const [webhookId, { before, after }] of health)
      if (
        before.failedProbes !== after.failedProbes ||
        (before.probeAt === null) !== (after.probeAt === null)
      )
        this.#note(webhookId, true)
  }

  #note(webhookId: string, isChanged: boolean): void {
    if (this.#noted.size === 0) setTimeout(() => void this.#wake(), TOGETHER_MS)
    this.#noted.add(webhookId, isChanged)
  }

  async #wake(): Promise<void> {
    const { db, log, doorbell } = this.#deps
    try {
      if ((await wakeRecoveries(db, this.#noted.take())) > 0) doorbell.ring()
    } catch (error) {
      log.debug({ err: error }, 'recoveries are woken by their timers')
    }
  }
}
