import type { GateRows } from '../db/delivery/gate-rows.ts'
import { reserveForWorkflow } from '../db/outbox/direct-starts.ts'
import { renewStart } from '../db/outbox/outbox.ts'
import type { SystemDeps } from '../deps/deps.ts'
import { traceIdOf, traced } from '../deps/traces.ts'
import { isFirstAttempt, isTest, type Trigger } from '../domain/delivery/delivery.ts'
import type { MadeAttempt } from '../domain/delivery/outcome.ts'
import type { AttemptLog } from './attempt-log.ts'
import type { EndpointLimits } from './endpoint-limits.ts'
import { createSendRequest, type Sender } from './attempt-requests.ts'
import { READ_AGAIN, reportOf, type AttemptReport } from '../domain/delivery/view.ts'
import { timesOf, withLease, type AttemptUnderWay, type DirectStart } from './attempt-under-way.ts'
import { createFaultLog, type FaultPlace } from './fault-log.ts'
import { traceAttempt } from './attempt-trace.ts'
import { gateOf, GateReader, type Gate, type OpenGate, holderOfAttempt, UnsentAttempts } from './gate.ts'
import type { Recorder } from './recorder.ts'
import type { Slots } from './slots.ts'

type AttemptsParts = {
  readonly sender: Sender
  readonly recorder: Pick<Recorder, 'record' | 'unrecorded' | 'isStuck'>
  readonly attemptLog: Pick<AttemptLog, 'closed'>
  readonly slots: Slots
  readonly limits: Pick<EndpointLimits, 'isFailing'>
  /** Slots for test events only. A caller waits for the answer, so test events do not queue behind the webhook's backlog. */
  readonly testSlots: Slots
}

type ReadGate = () => Promise<Gate | undefined>

/** If less than this share of `startToCloseMs` is left on the lease at the gate, the lease is renewed. */
const FRESH_LEASE = 0.8

/** Makes the attempts of deliveries. Every request to an endpoint goes through `make` or `makeDirect`. */
export class Attempts {
  readonly #deps: SystemDeps
  readonly #parts: AttemptsParts
  readonly #gates: GateReader
  readonly #send: ReturnType<typeof createSendRequest>
  readonly #unsent: UnsentAttempts
  readonly #tellFault: ReturnType<typeof createFaultLog>

  constructor(deps: SystemDeps, parts: AttemptsParts) {
    this.#deps = deps
    this.#parts = parts
    this.#gates = new GateReader(deps)
    this.#send = createSendRequest(deps, parts.sender, this.#gates)
    this.#unsent = new UnsentAttempts(deps, parts)
    this.#tellFault = createFaultLog(deps)
  }

  /**
   * Makes one attempt of a delivery: gate, slot, connect, sign, post, record. A failure of the endpoint is a report, not an
   * error.
   *
   * @param startToCloseMs milliseconds that the caller gives the whole attempt; request and recording end within this time
   * @throws our own faults, which spend no attempt
   */
  async make(deliveryId: string, startToCloseMs: number): Promise<AttemptReport> {
    const { clock, config } = this.#deps
    const attempt = timesOf(clock(), startToCloseMs, config.recordingTimeoutMs)
    return this.#tellingFaults(deliveryId, attempt, () => this.#gates.read(deliveryId))
  }

  /**
   * Makes a direct attempt. Request and recording end before the lease of the start row lapses.
   *
   * @returns the same reports as `make`, but never `queued`: without a free slot the attempt is deferred
   * @throws our own faults. The caller then gives the row back
   */
  async makeDirect(direct: DirectStart): Promise<AttemptReport> {
    const { rows, leaseMs, claimedAtMs, isRepeated } = direct
    const { id } = rows.delivery
    const { clock, config } = this.#deps
    const times = timesOf(new Date(claimedAtMs), leaseMs, config.recordingTimeoutMs)
    const attempt = { ...times, startedAt: clock(), direct }
    return this.#tellingFaults(id, attempt, async () =>
      rows.body && !isRepeated ? gateOf(rows, claimedAtMs) : this.#gates.read(id),
    )
  }

  async #tellingFaults(deliveryId: string, attempt: AttemptUnderWay, read: ReadGate): Promise<AttemptReport> {
    const fault: FaultPlace = { deliveryId }
    return this.#attempt(read, attempt, fault).catch((error: unknown) => {
      this.#tellFault(fault, error)
      throw error
    })
  }

  async #attempt(read: ReadGate, attempt: AttemptUnderWay, fault: FaultPlace): Promise<AttemptReport> {
    const { recorder } = this.#parts
    // Ask the recorder before reading the rows. If we asked later, an outcome committed in between would be missing
    // from the rows and from the recorder.
    const unrecorded = recorder.unrecorded(fault.deliveryId)
    const gate = await read()
    if (!gate) return { kind: 'closed', ending: 'cancelled' }
    const { rows, verdict } = gate
    if (this.#deps.traces) fault.traceId = traceIdOf(rows.traceparent)
    if (verdict.kind !== 'go') return this.#unsent.conclude(rows, verdict)
    if (recorder.isStuck()) return this.#unsent.waitForRecorder()
    if (unrecorded) return this.#record(withLease(unrecorded, attempt), attempt)
    if (!(await this.#isAlone(rows, attempt))) return this.#unsent.waitForDirect(rows)
    const giveBack = this.#takeSlot(rows, verdict.trigger)
    if (!giveBack) return this.#unsent.waitForSlot(rows, attempt)
    try {
      const open = { ...gate, verdict }
      return await traceAttempt(this.#deps.traces, open, attempt, (placed) =>
        this.#sendAndRecord(open, placed),
      )
    } finally {
      giveBack()
    }
  }

  async #sendAndRecord(gate: OpenGate, attempt: AttemptUnderWay): Promise<AttemptReport> {
    if (!attempt.direct) await this.#renewLease(gate.rows, attempt.wholeMs)
    const made = await this.#send(gate, attempt)
    return made ? this.#record(made, attempt) : READ_AGAIN
  }

  /**
   * True if no worker can make this attempt directly at the same time. The mark `in_temporal` of the delivery prevents
   * a direct attempt. A workflow that somebody started after a recovery lacks the mark, so set it first.
   */
  async #isAlone({ delivery }: GateRows, { direct }: AttemptUnderWay): Promise<boolean> {
    return direct !== undefined || delivery.isInTemporal || reserveForWorkflow(this.#deps.db, delivery.id)
  }

  #takeSlot(rows: GateRows, trigger: Trigger): (() => void) | undefined {
    const { slots, testSlots, limits } = this.#parts
    const { delivery, webhook } = rows
    const obeysBreaker = isFirstAttempt(delivery) && (trigger === 'scheduled' || trigger === 'recovery')
    const isProbe = obeysBreaker && limits.isFailing(webhook.id)
    return (isTest(delivery) ? testSlots : slots).take(holderOfAttempt(rows), delivery.id, isProbe)
  }

  /** The start row's lease must outlast the attempt, or another worker would start the delivery once more. */
  async #renewLease({ delivery, startLeaseMs }: GateRows, leaseMs: number): Promise<void> {
    if (startLeaseMs !== undefined && startLeaseMs < leaseMs * FRESH_LEASE) {
      await renewStart(this.#deps.db, delivery.id, leaseMs)
    }
  }

  /**
   * After a stale outcome the caller decides whether to make another attempt, because the caller gave time for one
   * attempt only.
   */
  async #record(made: MadeAttempt, attempt: AttemptUnderWay): Promise<AttemptReport> {
    const { recordUntilMs, traceparent: parent } = attempt
    const record = () => this.#parts.recorder.record(made, recordUntilMs)
    const traces = parent === undefined ? undefined : this.#deps.traces
    const decision = await traced(traces, 'record', { kind: 'internal', parent }, { work: record })
    return decision.kind === 'stale' ? READ_AGAIN : reportOf(decision)
  }
}
