import { queueDue } from '../db/system/due-queue.js'
import type { GateRows } from '../db/system/gate-rows.js'
import { closeDeliveries, parkDelivery } from '../db/system/open-deliveries.js'
import { deleteStarts, renewOwnStart, renewStart } from '../db/system/outbox-rows.js'
import type { Deps } from '../process/deps.js'
import { isTest } from '../domain/delivery/delivery.js'
import { endingOf } from '../domain/delivery/view.js'
import type { GateVerdict } from '../domain/delivery/gate.js'
import {
  isSuccessful,
  type AttemptOutcome,
  type MadeAttempt,
  type StartLease,
} from '../domain/delivery/outcome.js'
import type { HttpSender } from '../sending/http-sender.js'
import type { AttemptLog } from './attempt-log.js'
import { READ_AGAIN, reportOf, type AttemptReport } from './attempt-report.js'
import { WorkerFaultLog } from './fault-log.js'
import { gateOf, GateReader, type Gate, type OpenGate } from './gate.js'
import { createRequest } from './request.js'
import type { Recorder } from './recorder.js'
import type { Slots } from './slots.js'

export type AttemptsParts = {
  readonly sender: Pick<HttpSender, 'connect'>
  readonly recorder: Pick<Recorder, 'record' | 'unrecorded' | 'isStuck'>
  readonly attemptLog: Pick<AttemptLog, 'closed'>
  readonly slots: Slots
  /** For test events only: a caller waits for the answer, so they do not queue behind the webhook's backlog. */
  readonly testSlots: Slots
}

/** A first attempt that this worker makes itself: the rows of its delivery, as they were claimed. */
export type DirectStart = {
  readonly rows: GateRows
  readonly lease: StartLease
  /** How long the lease lasts, counted from the claim. */
  readonly leaseMs: number
  /** When the claim was made, by this process's clock. */
  readonly claimedAtMs: number
}

/** One attempt under way. */
type AttemptUnderWay = {
  readonly startedAt: Date
  /** Until when it may send and record, in epoch milliseconds. */
  readonly sendUntilMs: number
  readonly recordUntilMs: number
  /** How long the caller gives the whole attempt, in milliseconds. */
  readonly wholeMs: number
  /** Set when this worker makes the attempt itself. */
  readonly direct?: DirectStart
}

/** How long an attempt is put off while outcomes cannot be recorded. */
const STUCK_DEFERRAL_MS = 5_000
/** A test event without a free slot is tried again after this. It is not queued: there are few, and a caller waits. */
const TEST_DEFERRAL_MS = 500
/** A direct attempt whose slot was lost is put off for this long. Its row waits in the webhook's queue. */
const SLOT_DEFERRAL_MS = 250
/** How long an attempt is put off while another transaction locks the row of its delivery. */
const HELD_DEFERRAL_MS = 1_000
/** An attempt ends this long before Temporal gives its activity up: a tenth of the activity's time, this at most. */
const LONGEST_SETTLE_MARGIN_MS = 2_000
/** Share of `startToCloseMs` that a lease must have left at the gate; with less it is renewed. */
const FRESH_LEASE = 0.8

/** Makes the attempts of deliveries. Every request to an endpoint goes through `make`. */
export class Attempts {
  readonly #deps: Deps
  readonly #parts: AttemptsParts
  readonly #gates: GateReader
  readonly #faultLog: WorkerFaultLog

  constructor(deps: Deps, parts: AttemptsParts) {
    this.#deps = deps
    this.#parts = parts
    this.#gates = new GateReader(deps)
    this.#faultLog = new WorkerFaultLog(deps)
  }

  /**
   * Makes one attempt of a delivery: gate, slot, connect, sign, post, record. The endpoint's failure is a report.
   *
   * @param startToCloseMs milliseconds that the caller gives the whole attempt; request and recording end within them
   * @throws our own faults, which spend no attempt
   */
  async make(deliveryId: string, startToCloseMs: number): Promise<AttemptReport> {
    return this.#tellingFaults(deliveryId, async () => {
      const attempt = this.#begin(this.#deps.clock(), startToCloseMs)
      return this.#attempt(await this.#gates.read(deliveryId), attempt)
    })
  }

  /**
   * Makes the first attempt of a delivery without a workflow. The lease of its start row keeps everybody else from
   * sending, so request and recording end before it does.
   *
   * @returns as `make`, but never `queued`: without a slot the attempt is deferred
   * @throws our own faults; the caller gives the row back
   */
  async makeDirect(direct: DirectStart): Promise<AttemptReport> {
    const { rows, leaseMs, claimedAtMs } = direct
    const { id } = rows.delivery
    return this.#tellingFaults(id, async () => {
      const startedAt = this.#deps.clock()
      const attempt = { ...this.#begin(new Date(claimedAtMs), leaseMs), startedAt, direct }
      const gate = rows.body ? gateOf(rows, claimedAtMs) : await this.#gates.read(id)
      return this.#attempt(gate, attempt)
    })
  }

  async #tellingFaults(deliveryId: string, make: () => Promise<AttemptReport>): Promise<AttemptReport> {
    return make().catch((error: unknown) => {
      this.#faultLog.tell(deliveryId, error)
      throw error
    })
  }

  /**
   * The request has what recording leaves of the whole, but at least half of it. The outcome must be recorded a little
   * before the caller gives the attempt up, and before the lease of a direct attempt ends.
   */
  #begin(startedAt: Date, wholeMs: number): AttemptUnderWay {
    const sendMs = Math.max(wholeMs - this.#deps.config.recordingTimeoutMs, wholeMs / 2)
    const recordMs = wholeMs - Math.min(LONGEST_SETTLE_MARGIN_MS, wholeMs / 10)
    const startedAtMs = startedAt.getTime()
    return {
      startedAt,
      sendUntilMs: startedAtMs + sendMs,
      recordUntilMs: startedAtMs + recordMs,
      wholeMs,
    }
  }

  async #attempt(gate: Gate | undefined, attempt: AttemptUnderWay): Promise<AttemptReport> {
    if (!gate) return { kind: 'closed', ending: 'cancelled' }
    const { rows, verdict } = gate
    if (verdict.kind !== 'go') return this.#concludeUnsent(rows, verdict, attempt)
    const { recorder } = this.#parts
    if (recorder.isStuck()) return this.#defer('recording', STUCK_DEFERRAL_MS)
    const unrecorded = recorder.unrecorded(rows.delivery.id)
    if (unrecorded) return this.#record(withLease(unrecorded, attempt), attempt)
    const giveBack = this.#takeSlot(rows)
    if (!giveBack) return this.#waitForSlot(rows, attempt)
    try {
      if (!attempt.direct) await this.#renewLease(rows, attempt.wholeMs)
      const made = await this.#send({ ...gate, verdict }, attempt)
      if (!made) return READ_AGAIN
      this.#observe(made.outcome)
      return await this.#record(made, attempt)
    } finally {
      giveBack()
    }
  }

  #takeSlot(rows: GateRows): (() => void) | undefined {
    const slots = isTest(rows.delivery) ? this.#parts.testSlots : this.#parts.slots
    return slots.take(holderOf(rows), rows.delivery.id)
  }

  /** No slot is free: the delivery waits in the outbox until the relay wakes it for one. */
  async #waitForSlot({ delivery }: GateRows, { direct }: AttemptUnderWay): Promise<AttemptReport> {
    if (direct) return this.#defer('slots', SLOT_DEFERRAL_MS)
    if (isTest(delivery)) return this.#defer('slots', TEST_DEFERRAL_MS)
    if (!(await queueDue(this.#deps.db, delivery.id))) return READ_AGAIN
    this.#deps.metrics.deferrals.inc({ reason: 'slots' })
    return { kind: 'queued' }
  }

  /** The start row's lease must outlast the attempt, or another worker would start the delivery once more. */
  async #renewLease({ delivery, startLeaseMs }: GateRows, leaseMs: number): Promise<void> {
    if (startLeaseMs !== undefined && startLeaseMs < leaseMs * FRESH_LEASE) {
      await renewStart(this.#deps.db, delivery.id, leaseMs)
    }
  }

  /**
   * Connects, and signs with fresh rows when the connection is ready. A kept connection that proves to be dead is
   * replaced, and the request signed again. Gives undefined when the delivery was no longer due by then.
   */
  async #send(gate: OpenGate, attempt: AttemptUnderWay): Promise<MadeAttempt | undefined> {
    const { config, clock } = this.#deps
    const { id, url } = gate.rows.webhook
    let latest = gate
    const withinMs = attempt.sendUntilMs - clock().getTime()
    let connection = await this.#parts.sender.connect({ webhookId: id, url, withinMs })
    try {
      while (connection.kind === 'ready') {
        const fresh = await connection.within(this.#refresh(latest, attempt))
        if (!fresh) return undefined
        latest = fresh
        const outcome = await connection.post(createRequest(config.secretsKeys, latest.rows, clock()))
        if (outcome.kind !== 'dead') return this.#made(latest, attempt, outcome)
        connection = await connection.reconnect()
      }
      return this.#made(latest, attempt, connection)
    } finally {
      if (connection.kind === 'ready') connection.release()
    }
  }

  /**
   * Gives fresh rows to send from; undefined when nothing may be sent. While the claim of a direct attempt is fresh,
   * nobody else can have its lease. Later the lease is renewed first, and lost when another worker has claimed the row.
   */
  async #refresh(gate: OpenGate, { direct }: AttemptUnderWay): Promise<OpenGate | undefined> {
    if (direct && !this.#gates.isFresh(direct.claimedAtMs)) {
      if (!(await renewOwnStart(this.#deps.db, direct.lease, direct.leaseMs))) return undefined
    }
    return this.#gates.refresh(gate)
  }

  #made(
    { rows, verdict }: OpenGate,
    { startedAt, direct }: AttemptUnderWay,
    outcome: AttemptOutcome,
  ): MadeAttempt {
    const { delivery, webhook } = rows
    const scheduleMs = webhook.retrySchedule?.map((seconds) => seconds * 1000)
    return {
      deliveryId: delivery.id,
      attemptsAtGate: delivery.attempts,
      retrySeqAtGate: delivery.retrySeq,
      webhookVersionAtGate: webhook.version,
      trigger: verdict.trigger,
      ...(direct && { directLease: direct.lease }),
      startedAt,
      scheduleMs: scheduleMs ?? this.#deps.config.webhookRetryScheduleMs,
      outcome,
    }
  }

  /**
   * After a stale outcome the caller decides whether to make another attempt, because the given time was for this one.
   */
  async #record(made: MadeAttempt, { recordUntilMs }: AttemptUnderWay): Promise<AttemptReport> {
    const decision = await this.#parts.recorder.record(made, recordUntilMs)
    return decision.kind === 'stale' ? READ_AGAIN : reportOf(decision)
  }

  #observe(outcome: AttemptOutcome): void {
    const { metrics } = this.#deps
    metrics.attemptSeconds.observe(outcome.durationMs / 1000)
    metrics.attempts.inc({
      outcome: isSuccessful(outcome) ? 'success' : 'failure',
      status_class: outcome.kind === 'answered' ? `${Math.floor(outcome.status / 100)}xx` : 'none',
      error_kind: outcome.kind === 'unreachable' ? outcome.reason : 'none',
    })
  }

  /** Does what the gate's verdict asks for when no attempt is due. */
  async #concludeUnsent(
    rows: GateRows,
    verdict: Exclude<GateVerdict, { kind: 'go' }>,
    { direct, wholeMs }: AttemptUnderWay,
  ): Promise<AttemptReport> {
    const { db } = this.#deps
    const { id, webhookId } = rows.delivery
    this.#parts.slots.cancelReservation(holderOf(rows), id)
    switch (verdict.kind) {
      case 'early':
        return { kind: 'deferred', delayMs: verdict.delayMs }
      case 'park':
        if (await parkDelivery(db, id, webhookId)) return { kind: 'parked' }
        return direct ? READ_AGAIN : this.make(id, wholeMs)
      case 'close':
        return this.#close(rows, verdict.reason)
      case 'closed':
        await deleteStarts(db, [id])
        return { kind: 'closed', ending: endingOf(rows.delivery) }
    }
  }

  async #close(
    rows: GateRows,
    reason: Extract<GateVerdict, { kind: 'close' }>['reason'],
  ): Promise<AttemptReport> {
    const { closed, held } = await closeDeliveries(this.#deps.db, [rows.delivery.id], reason)
    if (held > 0) return this.#defer('locked', HELD_DEFERRAL_MS)
    if (closed > 0) this.#parts.attemptLog.closed(rows, reason)
    return { kind: 'closed', ending: reason === 'webhook_deleted' ? 'cancelled' : 'failed' }
  }

  #defer(reason: string, delayMs: number): AttemptReport {
    this.#deps.metrics.deferrals.inc({ reason })
    return { kind: 'deferred', delayMs }
  }
}

const holderOf = ({ tenant, webhook }: GateRows) => ({
  companyId: tenant.companyId,
  webhookId: webhook.id,
})

/** An outcome that was kept is written with the lease of the attempt that found it. */
const withLease = (made: MadeAttempt, { direct }: AttemptUnderWay): MadeAttempt =>
  made.directLease && direct ? { ...made, directLease: direct.lease } : made
