import { wakeRecoveries } from '../db/system/recovery-wakes.ts'
import type { Deps } from '../process/deps.ts'
import type { Recording } from './record-batch.ts'

/** How long attempts and probes are gathered: one statement for all recoveries that may be concerned. */
const TOGETHER_MS = 50

/**
 * Wakes recoveries that wait: once enough of the attempts that they queued are recorded, and when their endpoint's circuit breaker
 * opens, closes or has another probe behind it. A wake-up that is lost with its process comes by the timer of the workflow.
 */
export class RecoveryWakes {
  readonly #deps: Pick<Deps, 'db' | 'log' | 'doorbell'>
  /** Webhooks by id; `true`: wake its recovery however many attempts are to come. */
  #noted = new Map<string, boolean>()

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
    this.#noted.set(webhookId, isChanged || (this.#noted.get(webhookId) ?? false))
  }

  async #wake(): Promise<void> {
    const { db, log, doorbell } = this.#deps
    const noted = this.#noted
    this.#noted = new Map()
    try {
      if ((await wakeRecoveries(db, noted)) > 0) doorbell.ring()
    } catch (error) {
      log.debug({ err: error }, 'recoveries are woken by their timers')
    }
  }
}
