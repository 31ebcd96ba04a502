import { readLimited, type HealthByWebhook } from '../db/webhook/endpoint-health.ts'
import type { SystemDeps } from '../deps/deps.ts'
import {
  admissionOf,
  limitedUntil,
  type EndpointAdmission,
  type EndpointHealth,
} from '../domain/webhook/health.ts'

type Options = {
  readonly liveWorkers: () => number
  /** Milliseconds since any fixed moment. */
  readonly nowMs: () => number
}

/** How often we ask the database for endpoints that other workers saw failing or recovering. */
const READ_EVERY_MS = 250
/**
 * A transaction may commit up to this long after the time that it wrote into a row. So each read asks for
 * changes since this long before the latest read. If the latest read is older than this, the next one reads all limited endpoints.
 */
const LATE_MS = 2_000
/** How often this worker reads all limited endpoints, in case a commit took longer than LATE_MS. */
const READ_ALL_EVERY_MS = 30_000

/**
 * An endpoint whose first attempts are limited. `begun`: how many first attempts this worker has begun since the
 * endpoint recovered.
 */
type Limited = { readonly health: EndpointHealth; begun: number }

/**
 * Knows the endpoints whose first attempts are limited, because the endpoint fails, asked for a pause, or has just recovered. It
 * learns at once what this worker records, and within 250 ms what other workers record.
 */
export class EndpointLimits {
  readonly #db: SystemDeps['db']
  readonly #options: Options
  readonly #limited = new Map<string, Limited>()
  #readAtMs = -Infinity
  #readAllAtMs = -Infinity
  /** The time of the latest read: `now` by the database's clock, `atMs` by this process's clock. */
  #databaseTime: { readonly now: Date; readonly atMs: number } | undefined

  constructor({ db }: Pick<SystemDeps, 'db'>, options: Options) {
    this.#db = db
    this.#options = options
  }

  /** How many endpoints now get their first attempts one at a time, as far as this worker knows. */
  get failingCount(): number {
    return [...this.#limited.values()].filter(({ health }) => health.probeAt !== null).length
  }

  /**
   * Reads what other workers recorded, unless the latest read began less than 250 ms ago. Call it before you claim first
   * attempts.
   */
  async refresh(): Promise<void> {
    const nowMs = this.#options.nowMs()
    if (nowMs - this.#readAtMs < READ_EVERY_MS) return
    const isAll = nowMs - this.#readAllAtMs >= READ_ALL_EVERY_MS || nowMs - this.#readAtMs >= LATE_MS
    const last = this.#databaseTime?.now.getTime()
    const since = isAll || last === undefined ? undefined : new Date(last - LATE_MS)
    const { endpoints, now } = await readLimited(this.#db, since)
    this.#readAtMs = nowMs
    this.#databaseTime = { now, atMs: this.#options.nowMs() }
    if (since === undefined) {
      this.#readAllAtMs = nowMs
      for (const id of this.#limited.keys()) if (!endpoints.has(id)) this.#limited.delete(id)
    }
    this.learn(endpoints, now)
  }

  /** Learns the new health of endpoints. @param now when the health was read or written, by the database's clock */
  learn(endpoints: HealthByWebhook, now: Date): void {
    for (const [webhookId, health] of endpoints) {
      const until = limitedUntil(health)
      if (until === null || until <= now) {
        this.#limited.delete(webhookId)
        continue
      }
      const before = this.#limited.get(webhookId)
      const isSame = before?.health.recoveredAt?.getTime() === health.recoveredAt?.getTime()
      this.#limited.set(webhookId, { health, begun: isSame ? (before?.begun ?? 0) : 0 })
    }
  }

  /** What the circuit breaker lets this worker do with first attempts to the endpoint now. */
  admission(webhookId: string): EndpointAdmission {
    const limited = this.#limited.get(webhookId)
    if (!limited) return { kind: 'free' }
    const admission = admissionOf(limited.health, this.#now())
    if (admission.kind === 'free') this.#limited.delete(webhookId)
    if (admission.kind !== 'recovering') return admission
    const share = Math.max(1, Math.floor(admission.allowed / this.#options.liveWorkers()))
    return { kind: 'recovering', allowed: Math.max(0, share - limited.begun) }
  }

  /** Whether first attempts to the endpoint go one at a time, as probes. */
  isFailing(webhookId: string): boolean {
    return (this.#limited.get(webhookId)?.health.probeAt ?? null) !== null
  }

  /** Counts a first attempt that begins. While the endpoint recovers, the number of first attempts is limited. */
  begin(webhookId: string): void {
    const limited = this.#limited.get(webhookId)
    if (limited) limited.begun += 1
  }

  /**
   * Notes that this or another worker took a probe. The next probe may go when the lease ends, or earlier if the
   * endpoint's row says so.
   */
  delayProbe(webhookId: string, leaseMs: number): void {
    const limited = this.#limited.get(webhookId)
    if (!limited) return
    const probeAt = new Date(this.#now().getTime() + leaseMs)
    this.#limited.set(webhookId, { ...limited, health: { ...limited.health, probeAt } })
  }

  #now(): Date {
    const { now, atMs } = this.#databaseTime ?? { now: new Date(0), atMs: 0 }
    return new Date(now.getTime() + this.#options.nowMs() - atMs)
  }
}
