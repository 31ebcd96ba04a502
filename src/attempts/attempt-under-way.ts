import type { GateRows } from '../db/delivery/gate-rows.ts'
import { isFirstAttempt } from '../domain/delivery/delivery.ts'
import type { MadeAttempt, StartLease } from '../domain/delivery/outcome.ts'

/** A row of kind `start` that this worker has claimed for a direct attempt. */
export type DirectStart = {
  /** The delivery's rows, as the claim read them. */
  readonly rows: GateRows
  readonly lease: StartLease
  /** How long the lease lasts, counted from the claim. */
  readonly leaseMs: number
  /** When the claim was made, by this process's clock. */
  readonly claimedAtMs: number
  /**
   * Whether an earlier claim of the row ended without a recorded outcome. The outcome of that claim may still be
   * committed after this claim read the rows.
   */
  readonly isRepeated: boolean
  /** For a retry: the relay makes further retries directly until this time. If absent, the workflow makes them. */
  readonly directUntil?: Date
}

/** One attempt under way. */
export type AttemptUnderWay = {
  readonly startedAt: Date
  /** Until when the attempt may send, in epoch milliseconds. */
  readonly sendUntilMs: number
  /** Until when the outcome may be recorded, in epoch milliseconds. */
  readonly recordUntilMs: number
  /** How long the caller gives the whole attempt, in milliseconds. */
  readonly wholeMs: number
  /** The part of `wholeMs` that is for the request. */
  readonly requestMs: number
  /** Absent if a workflow makes the attempt. */
  readonly direct?: DirectStart
  /** Names the attempt's span, for the spans inside it. Absent if this process sends no traces. */
  readonly traceparent?: string
}

/** Recording must end this long before the caller gives up, or a tenth of the attempt's time if that is less. */
const LONGEST_SETTLE_MARGIN_MS = 2_000

/**
 * Divides the time that the caller gives an attempt. Recording gets `recordingMs`, but at most half of the time. The
 * request gets the rest. The outcome must be recorded a little before the end, because at the end the caller gives up,
 * or the lease of a direct attempt lapses.
 */
export function timesOf(startedAt: Date, wholeMs: number, recordingMs: number): AttemptUnderWay {
  const requestMs = Math.max(wholeMs - recordingMs, wholeMs / 2)
  const recordMs = wholeMs - Math.min(LONGEST_SETTLE_MARGIN_MS, wholeMs / 10)
  const startedAtMs = startedAt.getTime()
  return {
    startedAt,
    sendUntilMs: startedAtMs + requestMs,
    recordUntilMs: startedAtMs + recordMs,
    wholeMs,
    requestMs,
  }
}

/**
 * Returns the time until which the relay makes retries directly. It is `withinMs` after the first attempt began. A
 * retry takes this time from its outbox row, because the delivery's row does not say when the first attempt began.
 */
export function directUntilOf(
  { startedAt }: Pick<AttemptUnderWay, 'startedAt'>,
  { rows, directUntil }: DirectStart,
  withinMs: number,
): Date | undefined {
  if (!isFirstAttempt(rows.delivery)) return directUntil
  return withinMs === 0 ? undefined : new Date(startedAt.getTime() + withinMs)
}

/** Puts the lease of the current attempt into the outcome of an earlier one, whose own lease is no longer valid. */
export const withLease = (made: MadeAttempt, { direct }: AttemptUnderWay): MadeAttempt =>
  made.directLease && direct ? { ...made, directLease: direct.lease } : made
