import { queueDue } from '../db/system/due-queue.js'
import { readGateRows, type GateRows } from '../db/system/gate-rows.js'
import { closeDeliveries, parkDelivery } from '../db/system/open-deliveries.js'
import { deleteStarts, renewStart } from '../db/system/outbox-rows.js'
import type { Deps } from '../process/deps.js'
import { isTest } from '../domain/delivery/delivery.js'
import { endingOf } from '../domain/delivery/view.js'
import { gateVerdict, type GateVerdict } from '../domain/delivery/gate.js'
import { isSuccessful, type MadeAttempt } from '../domain/delivery/outcome.js'
import type { AttemptLog } from './attempt-log.js'
import { READ_AGAIN, reportOf, type AttemptReport } from './attempt-report.js'
import type { HttpSender } from '../sending/http-sender.js'
import { createRequest } from './request.js'
import type { Recorder } from './recorder.js'
import type { Slots } from './slots.js'

/**
 * Makes one attempt of a delivery. Every request to an endpoint goes through this function.
 *
 * @param startToCloseMs milliseconds that the caller gives the whole attempt; request and recording end within them
 */
export type Attempt = (deliveryId: string, startToCloseMs: number) => Promise<AttemptReport>

type Parts = {
  readonly sender: HttpSender
  readonly recorder: Recorder
  readonly attemptLog: AttemptLog
  readonly slots: Slots
  /** For test events only: a caller waits for the answer, so they do not queue behind the webhook's backlog. */
  readonly testSlots: Slots
}

type Going = Extract<GateVerdict, { kind: 'go' }>

/** When the connection took longer than this, the attempt reads the rows again before it signs. */
const GATE_FRESH_MS = 1_000
/** How long an attempt is put off while outcomes cannot be recorded. */
const STUCK_DEFERRAL_MS = 5_000
/** A test event without a free slot is tried again after this. It is not queued: there are few, and a caller waits. */
const TEST_DEFERRAL_MS = 500
/** How long an attempt is put off while another transaction locks the row of its delivery. */
const HELD_DEFERRAL_MS = 1_000
/** An attempt ends this long before Temporal gives its activity up: a tenth of the activity's time, this at most. */
const LONGEST_SETTLE_MARGIN_MS = 2_000
/** Share of `startToCloseMs` that a lease must have left at the gate; with less it is renewed. */
const FRESH_LEASE = 0.8

/** Gate, send, record. The endpoint's failure is a report. An exception is our own fault and spends no attempt. */
export function createAttempt(
  deps: Deps,
  { sender, recorder, attemptLog, slots, testSlots }: Parts,
): Attempt {
  const { db, config, metrics } = deps
  const operatorScheduleMs = config.webhookRetryScheduleMs

  async function attempt(deliveryId: string, startToCloseMs: number): Promise<AttemptReport> {
    const startedAt = deps.clock()
    const untilMs = startedAt.getTime() + recordWithinMs(startToCloseMs)
    const rows = await readGateRows(db, deliveryId, { withBody: true })
    if (!rows) return { kind: 'closed', ending: 'cancelled' }
    const verdict = gateVerdict(rows.delivery, rows.webhook, rows.now)
    const holder = { companyId: rows.tenant.companyId, webhookId: rows.webhook.id }
    const isTestEvent = isTest(rows.delivery)
    if (verdict.kind !== 'go') {
      slots.cancelReservation(holder, deliveryId)
      return concludeUnsent(rows, verdict, startToCloseMs)
    }
    if (recorder.isStuck()) return defer('recording', STUCK_DEFERRAL_MS)
    const unrecorded = recorder.unrecorded(deliveryId)
    if (unrecorded) return record(unrecorded, untilMs)
    const release = (isTestEvent ? testSlots : slots).take(holder, deliveryId)
    if (!release) return isTestEvent ? defer('slots', TEST_DEFERRAL_MS) : queue(deliveryId)
    try {
      await renewLease(rows, startToCloseMs)
      const made = await send(rows, verdict, startedAt, startToCloseMs)
      if (!made) return READ_AGAIN
      observe(made.outcome)
      return await record(made, untilMs)
    } finally {
      release()
    }
  }

  /** Milliseconds for the request: what recording leaves of the whole, but at least half of it. */
  const requestWithinMs = (startToCloseMs: number) =>
    Math.max(startToCloseMs - config.recordingTimeoutMs, startToCloseMs / 2)

  /**
   * After a stale outcome the caller decides whether to make another attempt, because the given time was for this one.
   */
  async function record(made: MadeAttempt, untilMs: number): Promise<AttemptReport> {
    const decision = await recorder.record(made, untilMs)
    return decision.kind === 'stale' ? READ_AGAIN : reportOf(decision)
  }

  /** Does what the gate's verdict asks for when no attempt is due. */
  async function concludeUnsent(
    rows: GateRows,
    verdict: Exclude<GateVerdict, Going>,
    startToCloseMs: number,
  ): Promise<AttemptReport> {
    const { id, webhookId } = rows.delivery
    switch (verdict.kind) {
      case 'early':
        return { kind: 'deferred', delayMs: verdict.delayMs }
      case 'park':
        return (await parkDelivery(db, id, webhookId)) ? { kind: 'parked' } : attempt(id, startToCloseMs)
      case 'close':
        return close(rows, verdict.reason)
      case 'closed':
        await deleteStarts(db, [id])
        return { kind: 'closed', ending: endingOf(rows.delivery) }
    }
  }

  async function close(
    rows: GateRows,
    reason: Extract<GateVerdict, { kind: 'close' }>['reason'],
  ): Promise<AttemptReport> {
    const { closed, held } = await closeDeliveries(db, [rows.delivery.id], reason)
    if (held > 0) return defer('locked', HELD_DEFERRAL_MS)
    if (closed > 0) attemptLog.closed(rows, reason)
    return { kind: 'closed', ending: reason === 'webhook_deleted' ? 'cancelled' : 'failed' }
  }

  /** No slot is free: the delivery waits in the outbox until the relay wakes it for one. */
  async function queue(deliveryId: string): Promise<AttemptReport> {
    if (!(await queueDue(db, deliveryId))) return READ_AGAIN
    metrics.deferrals.inc({ reason: 'slots' })
    return { kind: 'queued' }
  }

  function defer(reason: string, delayMs: number): AttemptReport {
    metrics.deferrals.inc({ reason })
    return { kind: 'deferred', delayMs }
  }

  /** The start row's lease must outlast the attempt, or another worker would start the delivery once more. */
  async function renewLease({ delivery, startLeaseMs }: GateRows, leaseMs: number): Promise<void> {
    if (startLeaseMs !== undefined && startLeaseMs < leaseMs * FRESH_LEASE) {
      await renewStart(db, delivery.id, leaseMs)
    }
  }

  /** Sends with rows no older than a second. Gives undefined when the delivery was no longer due by then. */
  async function send(
    rows: GateRows,
    going: Going,
    startedAt: Date,
    startToCloseMs: number,
  ): Promise<MadeAttempt | undefined> {
    let latest = rows
    let trigger = going.trigger
    const outcome = await sender.send({
      webhookId: rows.webhook.id,
      url: rows.webhook.url,
      withinMs: requestWithinMs(startToCloseMs) - (deps.clock().getTime() - startedAt.getTime()),
      prepare: async (connectedAfterMs) => {
        if (connectedAfterMs > GATE_FRESH_MS) {
          const again = await readGateRows(db, rows.delivery.id, { withBody: true })
          const verdict = again && gateVerdict(again.delivery, again.webhook, again.now)
          if (verdict?.kind !== 'go' || again?.webhook.url !== rows.webhook.url) return undefined
          latest = again
          trigger = verdict.trigger
        }
        return createRequest(config.secretsKeys, latest, deps.clock())
      },
    })
    if (outcome.kind === 'withdrawn') return undefined
    return {
      deliveryId: rows.delivery.id,
      attemptsAtGate: latest.delivery.attempts,
      retrySeqAtGate: latest.delivery.retrySeq,
      webhookVersionAtGate: latest.webhook.version,
      trigger,
      startedAt,
      scheduleMs: latest.webhook.retrySchedule?.map((seconds) => seconds * 1000) ?? operatorScheduleMs,
      outcome,
    }
  }

  function observe(outcome: MadeAttempt['outcome']): void {
    metrics.attemptSeconds.observe(outcome.durationMs / 1000)
    metrics.attempts.inc({
      outcome: isSuccessful(outcome) ? 'success' : 'failure',
      status_class: outcome.kind === 'answered' ? `${Math.floor(outcome.status / 100)}xx` : 'none',
      error_kind: outcome.kind === 'unreachable' ? outcome.reason : 'none',
    })
  }

  return attempt
}

/** When the outcome must be recorded, in milliseconds after the start: a little before the caller gives the attempt up. */
const recordWithinMs = (startToCloseMs: number): number =>
  startToCloseMs - Math.min(LONGEST_SETTLE_MARGIN_MS, startToCloseMs / 10)
