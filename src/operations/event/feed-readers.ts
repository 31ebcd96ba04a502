import { findFeedHeads, noteFeedListener, removeFeedListener } from '../../db/event/feed.ts'
import type { Deps, Hint } from '../../deps/deps.ts'
import { startTicker } from '../../deps/ticker.ts'
import { Drain } from '../../domain/buffers.ts'
import { LineInterval } from '../../domain/line-interval.ts'
import { tenantKey, type Tenant } from '../../domain/tenant.ts'
import { FeedReader } from './feed-reader.ts'

/** How many readers wait at once, in this process. Further ones are answered without a wait. */
export const MOST_WAITING = { ofKey: 5, ofCompany: 100, inAll: 1_000 }

/**
 * How often one query reads the heads of all feeds for which readers wait. If a ring is lost, its events come later by
 * at most this time.
 */
const LOOK_EVERY_MS = 1_000
/**
 * After this many reads the process renews its note in the database that clients wait here. The note makes publishers
 * ring this process.
 */
const NOTE_EVERY = 3
/** How often the log repeats that the heads cannot be read. */
const LINE_EVERY_MS = 30_000

type Parts = Pick<Deps, 'db' | 'log'> & { readonly config: Pick<Deps['config'], 'apiAddress'> }

/**
 * The clients that wait for events, in this process. None of them asks the database while it waits. A ring wakes the clients of
 * its tenant. One query per second reads the heads of the feeds, and finds what a lost ring should have announced.
 */
export class FeedReaders {
  readonly #parts: Parts
  readonly #byTenant = new Map<string, { readonly tenant: Tenant; readonly readers: Set<FeedReader> }>()
  /** How many readers there are, by key and by company. */
  readonly #counts = new Map<string, number>()
  readonly #lines = new LineInterval(LINE_EVERY_MS)
  readonly #looking = new Drain(
    () => this.#isLookDue,
    () => this.#look(),
  )
  #inAll = 0
  #looks = 0
  #isLookDue = false
  #isUnsure = false
  #isStopped = false
  #stopTicker: (() => Promise<void>) | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Adds a reader. Call it before the reader reads, so that it misses no ring. @returns undefined when no more may wait */
  enter(tenant: Tenant, keyId: string): FeedReader | undefined {
    const { companyId } = tenant
    const { ofKey, ofCompany, inAll } = MOST_WAITING
    const isFull = this.#count(keyId) >= ofKey || this.#count(companyId) >= ofCompany || this.#inAll >= inAll
    if (this.#isStopped || isFull) return undefined
    const reader = new FeedReader(
      () => this.#isUnsure,
      () => {
        this.#add(keyId, -1)
        this.#add(companyId, -1)
        this.#inAll -= 1
        group.readers.delete(reader)
        if (group.readers.size === 0) this.#byTenant.delete(tenantKey(tenant))
        if (this.#inAll === 0) this.#stopLooking()
      },
    )
    const group = this.#byTenant.get(tenantKey(tenant)) ?? { tenant, readers: new Set() }
    this.#byTenant.set(tenantKey(tenant), group)
    group.readers.add(reader)
    this.#add(keyId, 1)
    this.#add(companyId, 1)
    this.#inAll += 1
    this.#stopTicker ??= this.#startLooking()
    return reader
  }

  /** How many readers there are: those that wait, and those that read before or after their wait. */
  get taken(): number {
    return this.#inAll
  }

  /** How many readers wait now. */
  get waiting(): number {
    const all = [...this.#byTenant.values()].flatMap(({ readers }) => [...readers])
    return all.filter(({ isWaiting }) => isWaiting).length
  }

  /**
   * Wakes the readers of the feeds that a ring names.
   *
   * @param hints undefined: the ring names no feed, so the heads of all feeds are read
   */
  ring(hints: readonly Hint[] | undefined): void {
    if (!hints) void this.#lookNow()
    for (const { companyId, queue } of hints ?? []) {
      const tenant = { companyId, environment: queue as Tenant['environment'] }
      for (const reader of this.#byTenant.get(tenantKey(tenant))?.readers ?? []) reader.wake('news')
    }
  }

  /** Ends all waits; from now on `enter` adds no reader. */
  async stop(): Promise<void> {
    this.#isStopped = true
    for (const { readers } of this.#byTenant.values()) for (const reader of readers) reader.wake('over')
    await this.#stopTicker?.()
    await removeFeedListener(this.#parts.db, this.#parts.config.apiAddress).catch(() => undefined)
  }

  #count(of: string): number {
    return this.#counts.get(of) ?? 0
  }

  #add(of: string, change: number): void {
    const count = this.#count(of) + change
    if (count === 0) this.#counts.delete(of)
    else this.#counts.set(of, count)
  }

  #startLooking(): () => Promise<void> {
    this.#looks = 0
    void this.#lookNow()
    return startTicker(LOOK_EVERY_MS, () => this.#lookNow())
  }

  #stopLooking(): void {
    void this.#stopTicker?.()
    this.#stopTicker = undefined
    this.#isUnsure = false
  }

  #lookNow(): Promise<void> {
    this.#isLookDue = true
    return this.#looking.run()
  }

  /** Reads the heads once: one row for each tenant with readers, 1,000 at most. */
  async #look(): Promise<void> {
    this.#isLookDue = false
    const { db, log, config } = this.#parts
    const groups = [...this.#byTenant.values()]
    if (groups.length === 0) return
    try {
      if (this.#looks++ % NOTE_EVERY === 0) await noteFeedListener(db, config.apiAddress)
      const tenants = groups.map(({ tenant }) => tenant)
      const heads = await findFeedHeads(db, tenants)
      for (const { tenant, readers } of groups) {
        for (const reader of readers) reader.noteHead(heads.get(tenantKey(tenant)) ?? 0)
      }
      this.#isUnsure = false
    } catch (error) {
      this.#isUnsure = true
      this.#looks = 0
      if (this.#lines.admit(performance.now()) === undefined) return
      log.warn({ err: error }, 'the feeds that clients wait for could not be looked at')
    }
  }
}
