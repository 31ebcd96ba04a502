import type { SharedLookups } from '../db/connection/shared-lookups.ts'
import { createGateReads, type GateRows } from '../db/delivery/gate-rows.ts'
import { gateVerdict, type GateVerdict } from '../domain/delivery/gate.ts'
import type { SystemDeps } from '../deps/deps.ts'
import { queueDue } from '../db/outbox/due-queue.ts'
import { closeDeliveries } from '../db/delivery/open-deliveries.ts'
import { deleteStarts } from '../db/outbox/outbox.ts'
import { parkDelivery } from '../db/delivery/parked-deliveries.ts'
import { isTest } from '../domain/delivery/delivery.ts'
import { endingOf, READ_AGAIN, type AttemptReport } from '../domain/delivery/view.ts'
import type { AttemptLog } from './attempt-log.ts'
import type { AttemptUnderWay } from './attempt-under-way.ts'
import type { SlotHolder } from './slot-pool.ts'
import type { Slots } from './slots.ts'

/** The rows of a delivery as the gate has read them, and whether an attempt may go out. */
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

/** Reads what an attempt needs to know of its delivery. Attempts that begin together share a query. */
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

  /** Whether rows that came at this time are fresh enough to send a request. */
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

/** How long an attempt is postponed while outcomes cannot be recorded. */
const STUCK_DEFERRAL_MS = 5_000
/**
 * How long a test event without a free slot is postponed. Test events do not queue, because they are few and a caller
 * waits for each.
 */
const TEST_DEFERRAL_MS = 500
/** How long a direct attempt without a free slot is postponed. Its row waits in the webhook's queue. */
const SLOT_DEFERRAL_MS = 250
/** How often a workflow checks whether a direct attempt is over. */
const DIRECT_DEFERRAL_MS = 1_000
/** How long an attempt is postponed while another transaction locks the row of its delivery. */
const LOCKED_DEFERRAL_MS = 1_000

type Parts = { readonly slots: Slots; readonly attemptLog: Pick<AttemptLog, 'closed'> }

/** Decides what happens to an attempt that is not sent now. */
export class UnsentAttempts {
  readonly #deps: Pick<SystemDeps, 'db' | 'metrics'>
  readonly #parts: Parts

  constructor(deps: Pick<SystemDeps, 'db' | 'metrics'>, parts: Parts) {
    this.#deps = deps
    this.#parts = parts
  }

  /** The attempt waits, because outcomes cannot be recorded at the moment. */
  waitForRecorder(): AttemptReport {
    return this.#defer('recording', STUCK_DEFERRAL_MS)
  }

  /** The workflow's attempt waits, because a direct attempt of the delivery is under way. */
  waitForDirect(rows: GateRows): AttemptReport {
    this.#parts.slots.cancelReservation(holderOfAttempt(rows), rows.delivery.id)
    return this.#defer('direct', DIRECT_DEFERRAL_MS)
  }

  /**
   * No slot is free. A direct attempt or a test event is postponed. Any other delivery waits in the outbox until a slot
   * is free and the relay wakes the delivery.
   */
  async waitForSlot({ delivery }: GateRows, { direct }: AttemptUnderWay): Promise<AttemptReport> {
    if (direct) return this.#defer('slots', SLOT_DEFERRAL_MS)
    if (isTest(delivery)) return this.#defer('slots', TEST_DEFERRAL_MS)
    if (!(await queueDue(this.#deps.db, delivery.id))) return READ_AGAIN
    this.#deps.metrics.deferrals.inc({ reason: 'slots' })
    return { kind: 'queued' }
  }

  /** Does what the gate's verdict asks for when no attempt is due. */
  async conclude(rows: GateRows, verdict: Exclude<GateVerdict, { kind: 'go' }>): Promise<AttemptReport> {
    const { db } = this.#deps
    const { id, webhookId } = rows.delivery
    this.#parts.slots.cancelReservation(holderOfAttempt(rows), id)
    switch (verdict.kind) {
      case 'early':
        return { kind: 'deferred', delayMs: verdict.delayMs }
      case 'park':
        return (await parkDelivery(db, id, webhookId)) ? { kind: 'parked' } : READ_AGAIN
      case 'close':
        return this.#close(rows, verdict)
      case 'closed':
        await deleteStarts(db, [id])
        return { kind: 'closed', ending: endingOf(rows.delivery) }
    }
  }

  async #close(rows: GateRows, { reason }: Extract<GateVerdict, { kind: 'close' }>): Promise<AttemptReport> {
    const { closed, lockedElsewhere } = await closeDeliveries(this.#deps.db, [rows.delivery.id], reason)
    if (lockedElsewhere > 0) return this.#defer('locked', LOCKED_DEFERRAL_MS)
    if (closed > 0) {
      this.#deps.metrics.countClosed({ companyId: rows.tenant.companyId, reason })
      this.#parts.attemptLog.closed(rows, reason)
    }
    return { kind: 'closed', ending: reason === 'webhook_deleted' ? 'cancelled' : 'failed' }
  }

  #defer(reason: string, delayMs: number): AttemptReport {
    this.#deps.metrics.deferrals.inc({ reason })
    return { kind: 'deferred', delayMs }
  }
}

/** Returns the webhook and the company for which an attempt takes a slot. */
export const holderOfAttempt = ({ tenant, webhook }: GateRows): SlotHolder => ({
  companyId: tenant.companyId,
  webhookId: webhook.id,
})
