import type { DueClaim } from '../db/due-rows.ts'
import type { Log } from '../deps/log.ts'
import type { Job } from './upkeep.ts'

/** One worker has at most this many sends of one kind under way, and at most PER_COMPANY of them for one company. */
const ROOM = 20
const PER_COMPANY = 2
/** How long a claimed row is leased: longer than sending and recording may take. */
const LEASE_MS = 60_000
/** One look makes at most this many claims. */
const CLAIMS_PER_LOOK = 10

type Parts<Row> = {
  readonly claim: (claim: DueClaim) => Promise<Row[]>
  /** Sends a row and records the result. */
  readonly send: (row: Row) => Promise<void>
}

/**
 * Sends the due rows of a table: several at a time, but few of one company. A look does not wait for the sends, so a
 * slow receiver does not delay other companies' rows.
 */
export class DueSends<Row extends { readonly id: string; readonly company_id: string }> implements Job {
  readonly #parts: Parts<Row>
  readonly #log: Pick<Log, 'warn'>
  #isStopped = false
  readonly #running = new Set<Promise<void>>()
  /** How many sends are under way, by company. */
  readonly #counts = new Map<string, number>()

  constructor(log: Pick<Log, 'warn'>, parts: Parts<Row>) {
    this.#log = log
    this.#parts = parts
  }

  /** Claims due rows while there is room, and starts to send them. */
  async look(): Promise<void> {
    for (let claims = 0; claims < CLAIMS_PER_LOOK; claims++) {
      const room = ROOM - this.#running.size
      if (room <= 0 || this.#isStopped) return
      const counts = { perCompany: PER_COMPANY, running: this.#counts }
      const rows = await this.#parts.claim({ room, ...counts, leaseMs: LEASE_MS })
      if (rows.length === 0) return
      for (const row of rows) this.#start(row)
    }
  }

  /** Resolves when the sends under way are over. */
  async close(): Promise<void> {
    await Promise.all(this.#running)
  }

  /**
   * Claims no more rows. It does not abort a send under way, because its receiver may have accepted the message and
   * would get it again.
   */
  stop(): void {
    this.#isStopped = true
  }

  #start(row: Row): void {
    const { company_id: companyId } = row
    this.#count(companyId, 1)
    const sending = this.#parts
      .send(row)
      // The row is due again when the lease is over.
      .catch((error: unknown) =>
        this.#log.warn({ err: error, id: row.id }, 'a message could not be sent or recorded'),
      )
      .finally(() => {
        this.#running.delete(sending)
        this.#count(companyId, -1)
      })
    this.#running.add(sending)
  }

  #count(companyId: string, change: 1 | -1): void {
    const count = (this.#counts.get(companyId) ?? 0) + change
    if (count === 0) this.#counts.delete(companyId)
    else this.#counts.set(companyId, count)
  }
}
