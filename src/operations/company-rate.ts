import { addCompanyRequests } from '../db/rate-limits.ts'
import { retryLater } from '../domain/errors.ts'
import { MINUTE_MS } from '../domain/instants.ts'
import type { Deps } from '../deps/deps.ts'

/** A process writes a company's points only once the points of the minute exceed this share of the limit. */
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
 * The limit per company and minute (COMPANY_RATE_LIMIT_PER_MINUTE, 0 is off), over all its keys and both environments. The
 * api processes share it through the database: each adds the points that it counted, at most once a second. No request waits
 * for that, so a company may go beyond the limit by what the processes serve in a second. While the database is away each
 * process counts alone.
 */
export class CompanyRate {
  readonly #deps: Pick<Deps, 'config' | 'db' | 'databaseClock' | 'log'>
  #minute = 0
  /** One count for each company that called in the present minute. */
  #counts = new Map<string, Count>()

  constructor(deps: Pick<Deps, 'config' | 'db' | 'databaseClock' | 'log'>) {
    this.#deps = deps
  }

  /**
   * Counts a request of a company.
   *
   * @param points what the cost class of its route takes
   * @throws ApiError RATE_LIMITED with Retry-After; a refused request takes nothing
   */
  take(companyId: string, points: number): void {
    const { companyRateLimitPerMinute: limit } = this.#deps.config
    if (limit === 0) return
    const nowMs = this.#deps.databaseClock.now().getTime()
    const count = this.#countOf(companyId, nowMs)
    if (count.written + count.unwritten + points > limit) {
      const message = `The company may make ${limit} requests a minute with all its keys.`
      throw retryLater('RATE_LIMITED', message, MINUTE_MS - (nowMs % MINUTE_MS))
    }
    count.unwritten += points
    const isNear = count.written + count.unwritten > limit * UNWRITTEN_PART
    if (isNear && !count.isWriting && nowMs >= count.nextWriteMs) void this.#write(companyId, count, nowMs)
  }

  #countOf(companyId: string, nowMs: number): Count {
    const minute = Math.floor(nowMs / MINUTE_MS)
    if (minute !== this.#minute) this.#counts = new Map()
    this.#minute = minute
    const fresh = { written: 0, unwritten: 0, nextWriteMs: 0, isWriting: false }
    const count = this.#counts.get(companyId) ?? fresh
    this.#counts.set(companyId, count)
    return count
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
