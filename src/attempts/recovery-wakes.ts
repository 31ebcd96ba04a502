import { wakeRecoveries } from '../db/recovery/wakes.ts'
import { Sums } from '../domain/buffers.ts'
import type { SystemDeps } from '../deps/deps.ts'
import type { Recording } from './record-batch.ts'

/** How long attempts and probes are gathered: one statement for all recoveries that may be concerned. */
const TOGETHER_MS = 50

/**
 * Wakes recoveries that wait: once enough of their attempts are recorded, and when the circuit breaker of their endpoint opens,
 * closes, or another probe has failed. If a wake-up is lost with its process, the timer of the workflow wakes the recovery.
 */
export function createRecoveryWakes({ db, log, doorbell }: Pick<SystemDeps, 'db' | 'log' | 'doorbell'>) {
  /** By webhook id. `true`: wake its recovery, however many of its attempts are still to come. */
  const noted = new Sums<boolean>((isChanged, again) => isChanged || again)

  async function wake(): Promise<void> {
    try {
      if ((await wakeRecoveries(db, noted.take())) > 0) doorbell.ring()
    } catch (error) {
      log.debug({ err: error }, 'recoveries are woken by their timers')
    }
  }

  function note(webhookId: string, isChanged: boolean): void {
    if (noted.size === 0) setTimeout(() => void wake(), TOGETHER_MS)
    noted.add(webhookId, isChanged)
  }

  return {
    /** Notes what was recorded. Call it after the commit. */
    recorded({ attempts, health }: Pick<Recording, 'attempts' | 'health'>): void {
      for (const { made } of attempts) if (made.trigger === 'recovery') note(made.webhookId, false)
      for (const [webhookId, { before, after }] of health)
        if (
          before.failedProbes !== after.failedProbes ||
          (before.probeAt === null) !== (after.probeAt === null)
        )
          note(webhookId, true)
    },
  }
}

export type RecoveryWakes = ReturnType<typeof createRecoveryWakes>
