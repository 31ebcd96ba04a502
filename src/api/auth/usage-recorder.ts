import type { KeyUsage } from '../../domain/key/usage.ts'
import type { Deps } from '../../process/deps.ts'
import { dayKey } from '../../domain/key/usage.ts'
import { LineInterval } from '../../domain/line-interval.ts'
import { addUsage } from '../../db/system/key-usage.ts'

/** Time from the first count to its write. A killed process must lose no more than a second; the write needs the rest. */
const FLUSH_AFTER_MS = 750
/** How often the log says that usage cannot be written, while that lasts. */
const LINE_EVERY_MS = 10_000

type Counts = Map<string, { latest: { at: Date; address: string }; requestsByDay: Map<string, number> }>

/** Writes counts: the database's function, or a test's. */
type Write = (usages: readonly KeyUsage[]) => Promise<void>

/**
 * Counts requests per key in the process and writes the counts to the database, at most once per key and flush. When a
 * write fails, its counts go into the next one.
 */
export class UsageRecorder {
  readonly #log: Deps['log']
  readonly #write: Write
  readonly #lines = new LineInterval(LINE_EVERY_MS)
  #counts: Counts = new Map()
  /** Set from the first count until the flush has ended, so that there is one flush at a time. */
  #timer: NodeJS.Timeout | undefined
  #underWay: Promise<void> = Promise.resolve()

  constructor({ db, log }: Pick<Deps, 'db' | 'log'>, write: Write = (usages) => addUsage(db, usages)) {
    this.#log = log
    this.#write = write
  }

  /** Counts one request; `at` is the database's clock as authentication read it. Never waits and never fails. */
  record(keyId: string, address: string, at: Date): void {
    add(this.#counts, { keyId, latest: { at, address }, requestsByDay: new Map([[dayKey(at), 1]]) })
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
    const taken = this.#counts
    this.#counts = new Map()
    try {
      if (taken.size > 0) await this.#write(toUsages(taken))
      this.#lines.reset()
    } catch (error) {
      if (this.#lines.admit(startedMs) !== undefined) {
        this.#log.warn({ err: error, keys: taken.size }, 'usage could not be written and is kept')
      }
      for (const usage of toUsages(taken)) add(this.#counts, usage)
    }
    this.#timer = undefined
    const tookMs = performance.now() - startedMs
    if (this.#counts.size > 0) this.#schedule(Math.max(0, FLUSH_AFTER_MS - tookMs))
  }
}

const toUsages = (counts: Counts): KeyUsage[] => [...counts].map(([keyId, usage]) => ({ keyId, ...usage }))

function add(counts: Counts, { keyId, latest, requestsByDay }: KeyUsage): void {
  const usage = counts.get(keyId)
  if (!usage) {
    counts.set(keyId, { latest, requestsByDay: new Map(requestsByDay) })
    return
  }
  if (usage.latest.at <= latest.at) usage.latest = latest
  for (const [day, requests] of requestsByDay) {
    usage.requestsByDay.set(day, (usage.requestsByDay.get(day) ?? 0) + requests)
  }
}
