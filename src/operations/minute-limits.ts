import { takeFromQuota, addCompanyRequests } from '../db/rate-limits.ts'
import { ApiError, retryLater } from '../domain/errors.ts'
import { MINUTE_MS } from '../domain/instants.ts'
import type { Tenant } from '../domain/tenant.ts'
import type { Deps } from '../deps/deps.ts'

/** A value for each company that called in the present minute. The values of former minutes are forgotten. */
class OfMinute<T> {
  /** When the minute of the values began, in epoch milliseconds. */
  beganMs = 0
  readonly #fresh: () => T
  #values = new Map<string, T>()

  constructor(fresh: () => T) {
    this.#fresh = fresh
  }

  of(companyId: string, nowMs: number): T {
    const beganMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS
    if (beganMs !== this.beganMs) this.#values = new Map()
    this.beganMs = beganMs
    const value = this.#values.get(companyId) ?? this.#fresh()
    this.#values.set(companyId, value)
    return value
  }
}

/** How many shares a quota has. A process takes one share at a time, so that most publishes need no statement. */
const SHARES = 20

/** What this process has of a company's quota for the present minute. The database's clock tells the minute. */
type Share = {
  /** How many events the process may still publish. */
  left: number
  /** How many events the process takes at a time; fewer once the quota runs out. */
  size: number
  /**
   * The quota has fewer events left than this. So until the minute ends, a publish that lacks this many or more is
   * refused.
   */
  refusedFrom: number
  /** The statement under way that takes more from the quota. */
  taking: Promise<void> | undefined
}

/**
 * The limit of published events per company and minute (PUBLISH_PER_MINUTE, 0 is off), both environments together. All
 * api processes share it through the database. Each process takes a share at a time. What is left of a share when the
 * minute ends is lost.
 */
export class PublishQuota {
  readonly #deps: Pick<Deps, 'config' | 'db' | 'databaseClock'>
  readonly #shares: OfMinute<Share>

  constructor(deps: Pick<Deps, 'config' | 'db' | 'databaseClock'>) {
    this.#deps = deps
    const size = Math.ceil(deps.config.publishPerMinute / SHARES)
    this.#shares = new OfMinute(() => ({ left: 0, size, refusedFrom: Infinity, taking: undefined }))
  }

  /**
   * Runs work that publishes events, and counts the events. If the work is refused, it gives all events back to this
   * process's share. After a fault it gives nothing back, because the events may have been written.
   *
   * @param events how many events the work publishes at most; not more than 100
   * @param work calls `spare` with the number of events that it did not publish. They are given back
   * @throws whatever the work throws. ApiError RATE_LIMITED with Retry-After, before the work runs
   */
  async spend<T>(
    companyId: string,
    events: number,
    work: (spare: (events: number) => void) => Promise<T>,
  ): Promise<T> {
    if (this.#deps.config.publishPerMinute === 0 || events === 0) return work(() => undefined)
    const share = await this.#take(companyId, events)
    const giveBack = (unused: number) => void (share.left += unused)
    try {
      return await work(giveBack)
    } catch (error) {
      if (error instanceof ApiError) giveBack(events)
      throw error
    }
  }

  /** Takes events from this process's share. If it has too few, it first gets more of the quota. @returns the share */
  async #take(companyId: string, events: number): Promise<Share> {
    for (;;) {
      const share = this.#shareOf(companyId)
      if (share.left >= events) {
        share.left -= events
        return share
      }
      const missing = events - share.left
      if (missing >= share.refusedFrom) throw this.#refusal()
      share.taking ??= this.#grow(companyId, share, missing).finally(() => (share.taking = undefined))
      await share.taking
    }
  }

  #shareOf(companyId: string): Share {
    return this.#shares.of(companyId, this.#deps.databaseClock.now().getTime())
  }

  /** Takes `size` more events from the quota. While the quota has fewer, it tries half as many, down to `missing`. */
  async #grow(companyId: string, share: Share, missing: number): Promise<void> {
    const { config, db } = this.#deps
    const quota = { companyId, minuteAt: new Date(this.#shares.beganMs), perMinute: config.publishPerMinute }
    for (;;) {
      const wanted = Math.max(share.size, missing)
      if (await takeFromQuota(db, quota, wanted)) {
        share.left += wanted
        return
      }
      if (wanted === missing) {
        share.refusedFrom = missing
        return
      }
      share.size = Math.floor(share.size / 2)
    }
  }

  #refusal(): ApiError {
    const { config, databaseClock } = this.#deps
    const leftMs = this.#shares.beganMs + MINUTE_MS - databaseClock.now().getTime()
    const message = `The company may publish ${config.publishPerMinute} events a minute.`
    return retryLater('RATE_LIMITED', message, leftMs)
  }
}

/** Does the same as PublishQuota.spend. Without a quota it only runs the work. */
export const spendQuota = <T>(
  quota: PublishQuota | undefined,
  { companyId }: Tenant,
  events: number,
  work: (spare: (events: number) => void) => Promise<T>,
): Promise<T> => (quota ? quota.spend(companyId, events, work) : work(() => undefined))

/**
 * As long as the points of the minute are at most this share of the limit, a process does not write a company's points.
 */
const UNWRITTEN_PART = 0.05
/** How often a process writes the points that a company took, in milliseconds. */
export const WRITE_EVERY_MS = 1_000

/** The points that a company took in the present minute. */
type Count = {
  /** The points taken through all processes, as of this process's last write. */
  written: number
  /** The points taken through this process since then. */
  unwritten: number
  nextWriteMs: number
  isWriting: boolean
}

/**
 * The limit of points per company and minute (COMPANY_RATE_LIMIT_PER_MINUTE, 0 is off). All keys of the company and
 * both environments share it. The api processes share it through the database: each adds the points that it counted, at
 * most once a second. No request waits for that, so a company may go beyond the limit by what the processes serve in a
 * second. While the database is away, each process counts alone.
 */
export class CompanyRate {
  readonly #deps: Pick<Deps, 'config' | 'db' | 'databaseClock' | 'log'>
  readonly #counts = new OfMinute((): Count => ({
    written: 0,
    unwritten: 0,
    nextWriteMs: 0,
    isWriting: false,
  }))

  constructor(deps: Pick<Deps, 'config' | 'db' | 'databaseClock' | 'log'>) {
    this.#deps = deps
  }

  /**
   * Counts a request of a company.
   *
   * @param points what the cost class of its route takes
   * @throws ApiError RATE_LIMITED with Retry-After; a refused request takes no points
   */
  take(companyId: string, points: number): void {
    const { companyRateLimitPerMinute: limit } = this.#deps.config
    if (limit === 0) return
    const nowMs = this.#deps.databaseClock.now().getTime()
    const count = this.#counts.of(companyId, nowMs)
    if (count.written + count.unwritten + points > limit) {
      const message = `The company may make ${limit} requests a minute with all its keys.`
      throw retryLater('RATE_LIMITED', message, MINUTE_MS - (nowMs % MINUTE_MS))
    }
    count.unwritten += points
    const isNear = count.written + count.unwritten > limit * UNWRITTEN_PART
    if (isNear && !count.isWriting && nowMs >= count.nextWriteMs) void this.#write(companyId, count, nowMs)
  }

  async #write(companyId: string, count: Count, nowMs: number): Promise<void> {
    const points = count.unwritten
    count.isWriting = true
    count.nextWriteMs = nowMs + WRITE_EVERY_MS
    try {
      count.written = await addCompanyRequests(this.#deps.db, companyId, points)
      count.unwritten -= points
    } catch (error) {
      this.#deps.log.warn({ err: error, company_id: companyId }, 'requests of a company were not written')
    } finally {
      count.isWriting = false
    }
  }
}
