import { randomInt } from 'node:crypto'
import { addToHours, STATS_SHARDS, type HourOfWebhook } from '../db/system/attempt-stats.ts'
import { isTest } from '../domain/delivery/delivery.ts'
import { floorTo, HOUR_MS } from '../domain/instants.ts'
import { LineInterval } from '../domain/line-interval.ts'
import { addFigures, NO_FIGURES, withAttempt } from '../domain/webhook/stats.ts'
import type { Deps } from '../process/deps.ts'
import type { RecordedAttempt } from './attempt-log.ts'

/** Rows of one statement. */
const PAGE = 200
/** While nothing can be written the log says so this often. */
const LINE_EVERY_MS = 60_000

/**
 * Adds up the statistics of attempts in this process, and writes them when it is told to. So an attempt costs no statement,
 * and a worker that is killed loses what it added up since the latest flush. A worker keeps to one shard, because each
 * shard more is another row for every webhook and hour.
 */
export class AttemptStats {
  readonly #deps: Pick<Deps, 'db' | 'log'>
  readonly #shard = randomInt(STATS_SHARDS)
  readonly #lines = new LineInterval(LINE_EVERY_MS)
  #hours = new Map<string, HourOfWebhook>()

  constructor(deps: Pick<Deps, 'db' | 'log'>) {
    this.#deps = deps
  }

  /**
   * Counts an attempt whose record is committed; test events are left out.
   *
   * @param now when it was recorded, by the database's clock
   */
  add({ made, decision }: Pick<RecordedAttempt, 'made' | 'decision'>, now: Date): void {
    const { delivery } = decision
    if (isTest(delivery)) return
    const { webhookId } = delivery
    const startsAt = floorTo(now, HOUR_MS)
    const key = keyOf({ webhookId, startsAt })
    const before = this.#hours.get(key)
    const figures = withAttempt(before?.figures ?? NO_FIGURES, made.outcome)
    const failedDeliveries = (before?.failedDeliveries ?? 0) + (delivery.status === 'failed' ? 1 : 0)
    this.#hours.set(key, { webhookId, startsAt, figures, failedDeliveries })
  }

  /**
   * Writes what was counted since the latest flush. Never throws: what could not be written is kept for the next one. If
   * only the answer of the database was lost, that part counts twice.
   */
  async flush(): Promise<void> {
    const hours = [...this.#hours.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    this.#hours = new Map()
    for (let at = 0; at < hours.length; at += PAGE) {
      const page = hours.slice(at, at + PAGE)
      await addToHours(this.#deps.db, this.#shard, page).catch((error: unknown) => this.#keep(page, error))
    }
  }

  #keep(hours: readonly HourOfWebhook[], error: unknown): void {
    for (const hour of hours) {
      const key = keyOf(hour)
      const since = this.#hours.get(key)
      const figures = addFigures(hour.figures, since?.figures ?? NO_FIGURES)
      const failedDeliveries = (hour.failedDeliveries ?? 0) + (since?.failedDeliveries ?? 0)
      this.#hours.set(key, { ...hour, figures, failedDeliveries })
    }
    if (this.#lines.admit(performance.now()) === undefined) return
    this.#deps.log.warn({ err: error }, 'statistics could not be written; trying again')
  }
}

const keyOf = ({ webhookId, startsAt }: Pick<HourOfWebhook, 'webhookId' | 'startsAt'>): string =>
  `${webhookId} ${startsAt.getTime()}`
