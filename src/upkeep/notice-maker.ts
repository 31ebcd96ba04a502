import { databaseNow } from '../db/clock.ts'
import type { Db } from '../db/connection/connection.ts'
import { insertNotices } from '../db/notice/new-notices.ts'
import { takeNew } from '../db/notice/batches.ts'
import { listEndingKeys, listFailedDeliveries, listFailing } from '../db/notice/causes.ts'
import { DAY_MS, floorTo, HOUR_MS } from '../domain/instants.ts'
import { keyOf, webhookOf, type Notice } from '../domain/notice/notice.ts'
import type { Job } from './upkeep.ts'
import type { SystemDeps } from '../deps/deps.ts'

/** One query reads at most this many notices. One look makes at most PAGES_PER_LOOK queries. The next look goes on. */
const PAGE = 1_000
const PAGES_PER_LOOK = 10
/** How far back failed deliveries are searched, in hours. It is shorter than the shortest retention, a day. */
const MOST_HOURS = 23
const WEEK_MS = 7 * DAY_MS

/**
 * Finds what users should know about webhooks and keys, and makes one notice for each cause. Then it writes every new
 * notice, also one from another transaction, to the log and the metric.
 */
export class NoticeMaker implements Job {
  readonly #deps: Pick<SystemDeps, 'db' | 'config' | 'log' | 'metrics'>
  readonly #turns = { after: '' }
  /** The hour of the latest successful look for failed deliveries; undefined for a new leader. */
  #lookedAt: Date | undefined

  readonly #readClock: (db: Db) => Promise<Date>

  /** @param readClock reads the database's clock. Tests may replace it */
  constructor(deps: Pick<SystemDeps, 'db' | 'config' | 'log' | 'metrics'>, readClock = databaseNow) {
    this.#deps = deps
    this.#readClock = readClock
  }

  /** Looks once, by the database's clock. If one part fails, the other parts still run. @throws the first failure, at the end */
  async look(): Promise<void> {
    const now = await this.#readClock(this.#deps.db)
    const failures: unknown[] = []
    const keep = (failure: unknown) => void failures.push(failure)
    await this.#lookAtEndpoints(now).catch(keep)
    await this.#lookAtDeliveries(now).catch(keep)
    await this.#lookAtKeys(now).catch(keep)
    await this.#tell()
    if (failures.length > 0) throw failures[0]
  }

  rest(): void {
    this.#lookedAt = undefined
  }

  async #lookAtEndpoints(now: Date): Promise<void> {
    const { db, config } = this.#deps
    const range = { now, after: new Date(now.getTime() - config.retentionDays * DAY_MS) }
    await insertNotices(db, await listFailing(db, 'probed', range))
    await insertNotices(db, await listFailing(db, 'long', range))
  }

  /**
   * Reads the hours since the latest successful look, and one hour more, because the statistics of an hour may be
   * written shortly after its end.
   */
  async #lookAtDeliveries(now: Date): Promise<void> {
    const { db } = this.#deps
    const thisHour = floorTo(now, HOUR_MS)
    const since = this.#lookedAt ? (thisHour.getTime() - this.#lookedAt.getTime()) / HOUR_MS + 1 : MOST_HOURS
    const hours = Math.min(MOST_HOURS, since)
    await insertNotices(db, await listFailedDeliveries(db, { thisHour, hours }))
    this.#lookedAt = thisHour
  }

  async #lookAtKeys(now: Date): Promise<void> {
    const { db } = this.#deps
    const inADay = new Date(now.getTime() + DAY_MS)
    const inAWeek = new Date(now.getTime() + WEEK_MS)
    const today = { after: now, until: inADay }
    const thisWeek = { after: inADay, until: inAWeek, isInRotation: false }
    await insertNotices(db, [
      ...(await listEndingKeys(db, 'key_expires_in_7_days', thisWeek)),
      ...(await listEndingKeys(db, 'key_expires_in_1_day', { ...today, isInRotation: false })),
      ...(await listEndingKeys(db, 'key_grace_ends_in_1_day', { ...today, isInRotation: true })),
    ])
  }

  async #tell(): Promise<void> {
    const { db, config } = this.#deps
    const next = config.noticeTarget ? 'waiting' : 'done'
    for (let page = 0; page < PAGES_PER_LOOK; page++) {
      const notices = await takeNew(db, next, PAGE, this.#turns)
      for (const notice of notices) this.#tellOne(notice)
      if (notices.length < PAGE) return
    }
  }

  #tellOne(notice: Notice): void {
    const { log, metrics } = this.#deps
    metrics.notices.inc({ kind: notice.kind })
    log.info(
      {
        notice_id: notice.id,
        kind: notice.kind,
        webhook_id: webhookOf(notice) ?? undefined,
        key_id: keyOf(notice) ?? undefined,
        company_id: notice.tenant?.companyId,
        environment: notice.tenant?.environment,
        count: notice.total ?? undefined,
        error: notice.error ?? undefined,
      },
      'notice made',
    )
  }
}
