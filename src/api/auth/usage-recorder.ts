import type { Middleware } from 'koa'
import type { Deps, SystemDeps } from '../../deps/deps.ts'
import {
  addRecentUse,
  recentUse,
  type KeyUsage,
  addCounts,
  countOfResponse,
  dayKey,
  NO_COUNTS,
  type DayCounts,
} from '../../domain/key/usage.ts'
import { LineInterval } from '../../domain/line-interval.ts'
import { Sums } from '../../domain/buffers.ts'
import { addUsage } from '../../db/key/usage-rows.ts'
import type { CountedUse, State } from './caller.ts'

/**
 * The time from the first count to the start of its write. This time and the write together must stay below a second,
 * because a killed process loses the counts that are not written yet.
 */
const FLUSH_AFTER_MS = 750
/** How often the log says that usage cannot be written. */
const LINE_EVERY_MS = 10_000

type Usage = KeyUsage & { latest: KeyUsage['latest']; readonly days: Map<string, DayCounts> }

/** Writes counts to the database. A test may give another function. */
type Write = (usages: readonly KeyUsage[]) => Promise<void>

/**
 * Counts requests per key in the process, and writes the counts to the database, at most once per key and flush. If a
 * write fails, its counts become part of the next write.
 */
export class UsageRecorder {
  readonly #log: Deps['log']
  readonly #write: Write
  readonly #lines = new LineInterval(LINE_EVERY_MS)
  readonly #counts = new Sums<Usage>(plus)
  /** Set from the first count until the flush has ended, so that there is one flush at a time. */
  #timer: NodeJS.Timeout | undefined
  #underWay: Promise<void> = Promise.resolve()

  constructor({ db, log }: Pick<SystemDeps, 'db' | 'log'>, write: Write = (usages) => addUsage(db, usages)) {
    this.#log = log
    this.#write = write
  }

  /** Counts one request. Never waits and never fails. */
  record(use: CountedUse): void {
    this.#add(use, { ...NO_COUNTS, requests: 1 }, recentUse(use.at, use))
  }

  /**
   * Counts the response to a recorded request. The response counts for the day of its request.
   *
   * @param endpoint method and pattern of its route; undefined if no route serves its path
   */
  recordResponse(use: CountedUse, status: number, endpoint: string | undefined): void {
    this.#add(use, countOfResponse(status), recentUse(use.at, { endpoint }))
  }

  #add({ keyId, address, at }: CountedUse, counts: DayCounts, recent: KeyUsage['recent']): void {
    this.#counts.add(keyId, { keyId, latest: { at, address }, days: new Map([[dayKey(at), counts]]), recent })
    this.#schedule(FLUSH_AFTER_MS)
  }

  /** Writes the remaining counts. Call it when no more requests come. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#underWay
    clearTimeout(this.#timer)
    await this.#flush()
    clearTimeout(this.#timer)
  }

  #schedule(delayMs: number): void {
    this.#timer ??= setTimeout(() => {
      this.#underWay = this.#flush()
    }, delayMs)
  }

  async #flush(): Promise<void> {
    const startedMs = performance.now()
    const taken = [...this.#counts.take().values()]
    try {
      if (taken.length > 0) await this.#write(taken)
      this.#lines.reset()
    } catch (error) {
      if (this.#lines.admit(startedMs) !== undefined) {
        this.#log.warn({ err: error, keys: taken.length }, 'usage could not be written and is kept')
      }
      for (const usage of taken) this.#counts.add(usage.keyId, usage)
    }
    this.#timer = undefined
    const tookMs = performance.now() - startedMs
    if (this.#counts.size > 0) this.#schedule(Math.max(0, FLUSH_AFTER_MS - tookMs))
  }
}

function plus(sum: Usage, { latest, days, recent }: KeyUsage): Usage {
  if (sum.latest.at <= latest.at) sum.latest = latest
  for (const [day, counts] of days) sum.days.set(day, addCounts(sum.days.get(day) ?? NO_COUNTS, counts))
  addRecentUse(sum.recent, recent)
  return sum
}

/**
 * For each request that authentication counted: counts the response by its status, and stores the route. This
 * middleware must stand outside the error envelope, which decides the status. If no route serves the path, only the
 * response counts, and the path is not stored.
 */
export const countResponses =
  (usage: Pick<UsageRecorder, 'recordResponse'>): Middleware<State> =>
  async (ctx, next) => {
    await next()
    const { use, route } = ctx.state
    if (use) usage.recordResponse(use, ctx.status, route === undefined ? undefined : `${ctx.method} ${route}`)
  }
