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

/** How often the database is asked for endpoints that other workers have seen failing or recovering. */
const READ_EVERY_MS = 250
/** A transaction may commit this long after the time that it wrote. After a longer break everything is read. */
const LATE_MS = 2_000
/** How often everything is read, for commits that came even later than LATE_MS. */
const READ_ALL_EVERY_MS = 30_000

/** An endpoint whose first attempts are limited, and how many of them this worker began since it recovered. */
type Limited = { readonly health: EndpointHealth; begun: number }

/**
 * Knows the endpoints whose first attempts are limited, because the endpoint fails, asked for a pause, or has just
 * recovered. It knows at once what this worker records, and after 250 ms what others record.
 */
export class EndpointLimits {
  readonly #db: SystemDeps['db']
  readonly #options: Options
  readonly #limited = new Map<string, Limited>()
  #readAtMs = -Infinity
  #readAllAtMs = -Infinity
  /** The database's time of the latest read, and this process's time at that moment. */
  #databaseTime: { readonly now: Date; readonly atMs: number } | undefined

  constructor({ db }: Pick<SystemDeps, 'db'>, options: Options) {
    this.#db = db
    this.#options = options
  }

  /** Endpoints whose first attempts go one at a time now, by what this worker knows. */
  get failing(): number {
    return [...this.#limited.values()].filter(({ health }) => health.probeAt !== null).length
  }

  /** Reads what changed, unless the last read began less than 250 ms ago. Call it before first attempts are claimed. */
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

  /** Takes in new health of endpoints. @param now the database's clock at that moment */
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

  /** Whether first attempts to the endpoint go one at a time, each in a slot of its own. */
  isFailing(webhookId: string): boolean {
    return (this.#limited.get(webhookId)?.health.probeAt ?? null) !== null
  }

  /** Counts a first attempt that begins: while the endpoint recovers their number is limited. */
  begin(webhookId: string): void {
    const limited = this.#limited.get(webhookId)
    if (limited) limited.begun += 1
  }

  /** Notes that a probe was taken, here or elsewhere. The next one goes out when the database says so, or the lease ends. */
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
