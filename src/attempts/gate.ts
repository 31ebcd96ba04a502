import type { SharedLookups } from '../db/connection/shared-lookups.ts'
import { createGateReads, type GateRows } from '../db/delivery/gate-rows.ts'
import { gateVerdict, type GateVerdict } from '../domain/delivery/gate.ts'
import type { SystemDeps } from '../deps/deps.ts'

/** What the gate read of a delivery, and whether an attempt may go out. */
export type Gate = {
  readonly rows: GateRows
  readonly verdict: GateVerdict
  /** When the rows came, by this process's clock. */
  readonly readAtMs: number
}

/** A gate that lets the attempt go. */
export type OpenGate = Gate & { readonly verdict: Extract<GateVerdict, { kind: 'go' }> }

/**
 * Rows older than this must not be used to send. So a deletion or a new secret takes effect within this time after the
 * api has answered the change.
 */
const GATE_FRESH_MS = 250

/** Decides from rows that were read. @param readAtMs when the rows came, by this process's clock */
export const gateOf = (rows: GateRows, readAtMs: number): Gate => ({
  rows,
  verdict: gateVerdict(rows.delivery, rows.webhook, rows.now),
  readAtMs,
})

/** Reads what attempts need to know of their deliveries. Attempts that begin together share a query. */
export class GateReader {
  readonly #reads: SharedLookups<string, GateRows>
  readonly #clock: () => Date

  constructor({ db, clock }: Pick<SystemDeps, 'db' | 'clock'>) {
    this.#reads = createGateReads(db)
    this.#clock = clock
  }

  /** Reads the rows of a delivery and decides from them. Returns undefined when there is no such delivery. */
  async read(deliveryId: string): Promise<Gate | undefined> {
    const rows = await this.#reads.find(deliveryId)
    return rows && gateOf(rows, this.#clock().getTime())
  }

  /** Whether rows that came at this time are fresh enough to send from. */
  isFresh(readAtMs: number): boolean {
    return this.#clock().getTime() - readAtMs <= GATE_FRESH_MS
  }

  /**
   * Returns the gate itself while its rows are fresh, otherwise a gate from new rows. Call it when the connection is ready.
   *
   * @returns undefined when the attempt may no longer go out, or the webhook's URL has changed
   */
  async refresh(gate: OpenGate): Promise<OpenGate | undefined> {
    if (this.isFresh(gate.readAtMs)) return gate
    const again = await this.read(gate.rows.delivery.id)
    return again && isOpen(again) && again.rows.webhook.url === gate.rows.webhook.url ? again : undefined
  }
}

const isOpen = (gate: Gate): gate is OpenGate => gate.verdict.kind === 'go'
