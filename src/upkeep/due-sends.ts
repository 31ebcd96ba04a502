import type { DueClaim } from '../db/due-rows.ts'
import type { Log } from '../deps/log.ts'
import type { Job } from './upkeep.ts'

/** Sends under way at most, of one kind in one worker: in all, and of one company. */
const ROOM = 20
const PER_COMPANY = 2
/** Longer than a send and its record may take. */
const LEASE_MS = 60_000
/** Claims of one look at most. */
const CLAIMS_PER_LOOK = 10

type Parts<Row> = {
  readonly claim: (claim: DueClaim) => Promise<Row[]>
  /** Sends a row and records what became of it. */
  readonly send: (row: Row) => Promise<void>
}

/**
 * Sends rows of a table that are due: several at a time, and few of one company. A look does not wait for the sends, so a slow
 * receiver delays nobody else's rows.
 */
export class DueSends<Row extends { readonly id: string; readonly company_id: string }> implements Job {
  readonly #parts: Parts<Row>
  readonly #log: Pick<Log, 'warn'>
  #isStopped = false
  readonly #running = new Set<Promise<void>>()
  /** Sends under way, by company. */
  readonly #counts = new Map<string, number>()

  constructor(log: Pick<Log, 'warn'>, parts: Parts<Row>) {
    this.#log = log
    this.#parts = parts
  }

  /** Claims rows that are due while there is room, and starts to send them. */
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

  /** A send under way is not cut: its receiver may have taken the message, and would get it again. */
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
