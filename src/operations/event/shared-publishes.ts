import { commitPublishes, type NewDelivery } from '../../db/delivery/new-deliveries.ts'
import { listSubscribers } from '../../db/webhook/subscriptions.ts'
import { isLost } from '../../db/connection/errors.ts'
import { Drain } from '../../domain/buffers.ts'
import { retryLater } from '../../domain/errors.ts'
import type { ResourceRecord } from '../../domain/event/resources.ts'
import { refuseLateEvents, type StoredEvent } from '../../domain/event/event.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { Deps, Hint } from '../../deps/deps.ts'
import { inPublishSpan } from './write-events.ts'
import { planShared, queriesOf, together, type SharedPublish } from './plan-deliveries.ts'

/** How many events one transaction writes at most; a single publish may bring 100. */
const BATCH_EVENTS = 400
/**
 * How many bytes of events one transaction writes at most. The SQL of the transaction has twice as many, and MySQL
 * limits the size of a packet.
 */
const BATCH_BYTES = 1024 * 1024

/** How many bytes of events may wait in this process: of one company, and of all. A publish has at most 256 KiB. */
const COMPANY_BYTES = 8 * 1024 * 1024
const PROCESS_BYTES = 64 * 1024 * 1024

type SharedDeps = Pick<Deps, 'batchDb' | 'clock' | 'doorbell' | 'feedBell' | 'filters' | 'traces'>

type SharedOptions = {
  /** A new record that the events are about, written with them. */
  readonly record?: ResourceRecord
  readonly traceparent?: string | undefined
}

type Waiting = SharedPublish & {
  readonly bytes: number
  readonly resolve: (written: readonly StoredEvent[] | undefined) => void
  readonly reject: (error: unknown) => void
}

/**
 * Lets publishes of this process share transactions. Publishes that arrive while one transaction runs are written by
 * the next. So under load many publishes share a commit, and without load a publish is written at once. Use it only for
 * events whose ids this service made: a batch with a repeated id would wait for the transaction that first wrote the
 * id. Companies take turns. So a busy company delays others only by the transaction under way and by its share of the
 * next one.
 */
export class SharedPublishes {
  readonly #deps: SharedDeps
  /** The publishes that wait, by company, in the order of the companies' turns. */
  readonly #waiting = new Map<string, { bytes: number; readonly entries: Waiting[] }>()
  readonly #drain = new Drain(
    () => this.#waiting.size > 0,
    () => this.#write(this.#takeBatch()),
  )
  #waitingBytes = 0

  constructor(deps: SharedDeps) {
    this.#deps = deps
  }

  /**
   * Writes the events with their deliveries.
   *
   * @param events at least one
   * @returns the events with their numbers of deliveries. undefined: nothing was written, and the publish needs a
   *   transaction of its own, because it makes many deliveries, filters took long, or the shared transaction failed
   * @throws ApiError RATE_LIMITED when too many bytes of the company wait; SERVICE_UNAVAILABLE when too many bytes of
   *   all companies wait; the database's error when the database is lost
   */
  publish(
    tenant: Tenant,
    events: readonly StoredEvent[],
    { record, traceparent }: SharedOptions = {},
  ): Promise<readonly StoredEvent[] | undefined> {
    // A record is not much larger than one of its events.
    const bytes = events.reduce((sum, { body }) => sum + body.length, 0) * (record ? 2 : 1)
    const write = (withTrace: readonly StoredEvent[]) =>
      new Promise<readonly StoredEvent[] | undefined>((resolve, reject) => {
        this.#queue({ tenant, events: withTrace, record, bytes, resolve, reject })
        void this.#drain.run()
      })
    return inPublishSpan(this.#deps.traces, tenant, traceparent, (addTrace) => write(addTrace(events)))
  }

  #queue(entry: Waiting): void {
    const { companyId } = entry.tenant
    const company = this.#waiting.get(companyId) ?? { bytes: 0, entries: [] }
    if (company.bytes > 0 && company.bytes + entry.bytes > COMPANY_BYTES)
      throw refusal('RATE_LIMITED', 'Too many events of the company wait to be written')
    if (this.#waitingBytes + entry.bytes > PROCESS_BYTES)
      throw refusal('SERVICE_UNAVAILABLE', 'Too many events wait to be written')
    this.#waiting.set(companyId, company)
    company.entries.push(entry)
    company.bytes += entry.bytes
    this.#waitingBytes += entry.bytes
  }

  /**
   * Takes as many publishes as fit into one transaction, at least one. Companies take turns; at its turn a company
   * gives its oldest publish.
   */
  #takeBatch(): Waiting[] {
    const batch: Waiting[] = []
    let events = 0
    let bytes = 0
    for (const [companyId, company] of this.#waiting) {
      const [entry] = company.entries
      if (!entry) throw new Error('a company without publishes waits')
      events += entry.events.length
      bytes += entry.bytes
      if (batch.length > 0 && (events > BATCH_EVENTS || bytes > BATCH_BYTES)) break
      batch.push(entry)
      company.entries.shift()
      company.bytes -= entry.bytes
      this.#waitingBytes -= entry.bytes
      // Puts the company after all others: the loop reaches it again once they had their turn.
      this.#waiting.delete(companyId)
      if (company.entries.length > 0) this.#waiting.set(companyId, company)
    }
    return batch
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const { batchDb, clock, doorbell, feedBell } = this.#deps
    try {
      const shared = await planShared(this.#deps, batch, await listSubscribers(batchDb, queriesOf(batch)))
      const publishes = together(shared)
      const events = publishes.events.map(({ event }) => event)
      refuseLateEvents(events, clock())
      if (shared.length > 0) await commitPublishes(batchDb, publishes)
      doorbell.ring(publishes.deliveries.map(hintOf))
      feedBell.ring(publishes.events.map(feedHintOf))
      const written = new Map(shared.map(({ entry, events }) => [entry, events]))
      for (const entry of batch) entry.resolve(written.get(entry))
    } catch (error) {
      // If one publish cannot be written, the others must not fail: each is tried alone, unless the database is lost.
      for (const { resolve, reject } of batch) {
        if (isLost(error)) reject(error)
        else resolve(undefined)
      }
    }
  }
}

const refusal = (code: 'RATE_LIMITED' | 'SERVICE_UNAVAILABLE', message: string) =>
  retryLater(code, `${message}: publish again later.`, 1_000)

const hintOf = ({ tenant, delivery }: { readonly tenant: Tenant; readonly delivery: NewDelivery }): Hint => ({
  companyId: tenant.companyId,
  queue: delivery.webhookId,
})

const feedHintOf = ({ tenant }: { readonly tenant: Tenant }): Hint => ({
  companyId: tenant.companyId,
  queue: tenant.environment,
})
