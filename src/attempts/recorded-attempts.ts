import { randomInt } from 'node:crypto'
import { addToHours, STATS_SHARDS, type HourOfWebhook } from '../db/webhook/hourly-stats.ts'
import { isTest } from '../domain/delivery/delivery.ts'
import { floorTo, HOUR_MS } from '../domain/instants.ts'
import { LineInterval } from '../domain/line-interval.ts'
import { Sums } from '../domain/buffers.ts'
import { addFigures, NO_FIGURES, withAttempt } from '../domain/webhook/stats.ts'
import type { SystemDeps } from '../deps/deps.ts'
import type { RecordedAttempt } from '../domain/delivery/transitions.ts'
import { wakeRecoveries } from '../db/recovery/wakes.ts'
import type { Recording } from './record-batch.ts'

/** One statement writes at most this many rows. */
const PAGE = 200
/** How often the log says that statistics cannot be written. */
const LINE_EVERY_MS = 60_000

type Hour = Required<HourOfWebhook>

/**
 * Adds up the statistics of attempts in this process, and writes them at `flush`. So an attempt costs no statement, but
 * a killed worker loses its statistics since the latest flush. A worker writes to one shard only, because each further
 * shard adds a row for every webhook and hour.
 */
export class AttemptStats {
  readonly #deps: Pick<SystemDeps, 'db' | 'log'>
  readonly #shard = randomInt(STATS_SHARDS)
  readonly #lines = new LineInterval(LINE_EVERY_MS)
  readonly #hours = new Sums<Hour>(plus)

  constructor(deps: Pick<SystemDeps, 'db' | 'log'>) {
    this.#deps = deps
  }

  /**
   * Counts an attempt after the commit of its outcome. Test events do not count.
   *
   * @param now when the outcome was recorded, by the database's clock
   */
  add({ made, decision }: Pick<RecordedAttempt, 'made' | 'decision'>, now: Date): void {
    const { delivery } = decision
    if (isTest(delivery)) return
    const { webhookId, status } = delivery
    const figures = withAttempt(NO_FIGURES, made.outcome)
    const failedDeliveries = status === 'failed' ? 1 : 0
    this.#add({ webhookId, startsAt: floorTo(now, HOUR_MS), figures, failedDeliveries })
  }

  /**
   * Writes the statistics since the latest flush. Never throws: statistics that could not be written are kept for the next
   * flush. If the database committed a statement but its answer was lost, the statistics of that statement count twice.
   */
  async flush(): Promise<void> {
    const hours = [...this.#hours.take()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, hour]) => hour)
    for (let at = 0; at < hours.length; at += PAGE) {
      const page = hours.slice(at, at + PAGE)
      await addToHours(this.#deps.db, this.#shard, page).catch((error: unknown) => this.#keep(page, error))
    }
  }

  #add(hour: Hour): void {
    this.#hours.add(`${hour.webhookId} ${hour.startsAt.getTime()}`, hour)
  }

  #keep(hours: readonly Hour[], error: unknown): void {
    for (const hour of hours) this.#add(hour)
    if (this.#lines.admit(performance.now()) === undefined) return
    this.#deps.log.warn({ err: error }, 'statistics could not be written; trying again')
  }
}

const plus = (sum: Hour, hour: Hour): Hour => ({
  ...sum,
  figures: addFigures(sum.figures, hour.figures),
  failedDeliveries: sum.failedDeliveries + hour.failedDeliveries,
})

/** How long this worker gathers recorded attempts and probes before one statement wakes all their recoveries. */
const TOGETHER_MS = 50

/**
 * Wakes a waiting recovery in three cases: enough of its attempts are recorded, the endpoint's circuit breaker opens or
 * closes, or another probe has failed. If a wake-up is lost with its process, the timer of the workflow wakes the
 * recovery.
 */
export function createRecoveryWakes({ db, log, doorbell }: Pick<SystemDeps, 'db' | 'log' | 'doorbell'>) {
  /** By webhook id. `true`: wake the webhook's recovery now, even if many of its attempts are not recorded yet. */
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
    /** Notes the recorded attempts and changes of health. Call it after the commit. */
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
