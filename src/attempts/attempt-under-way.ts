import type { GateRows } from '../db/delivery/gate-rows.ts'
import { isFirstAttempt } from '../domain/delivery/delivery.ts'
import type { MadeAttempt, StartLease } from '../domain/delivery/outcome.ts'

/** A `start` row that was claimed for a direct attempt. */
export type DirectStart = {
  /** The delivery, as it was claimed. */
  readonly rows: GateRows
  readonly lease: StartLease
  /** How long the lease lasts, counted from the claim. */
  readonly leaseMs: number
  /** When the claim was made, by this process's clock. */
  readonly claimedAtMs: number
  /** Whether an earlier claim left no record. Its outcome may still be committed after this claim has read the rows. */
  readonly isRepeated: boolean
  /** For a retry: until when further retries are direct too. Absent: none is. */
  readonly directUntil?: Date
}

/** One attempt under way. */
export type AttemptUnderWay = {
  readonly startedAt: Date
  /** Until when it may send and record, in epoch milliseconds. */
  readonly sendUntilMs: number
  readonly recordUntilMs: number
  /** How long the caller gives the whole attempt, in milliseconds, and how much of it is for the request. */
  readonly wholeMs: number
  readonly requestMs: number
  /** Set for a direct attempt. */
  readonly direct?: DirectStart
  /** The place of the attempt's span; absent where no traces are sent. */
  readonly traceparent?: string
}

/** Recording ends before the caller gives up, by a tenth of the attempt's time, but at most by this. */
const LONGEST_SETTLE_MARGIN_MS = 2_000

/**
 * Divides the time that the caller gives an attempt. Recording gets `recordingMs` of it, but at most half, and the request the
 * rest. The outcome must be recorded a little before the end, when the caller gives up or the lease of a direct attempt ends.
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
 * Until when retries after a direct attempt are direct too: `withinMs` after the first attempt began. A retry has it from its
 * `start` row, because the delivery's row does not say when the first attempt began.
 */
export function directUntilOf(
  { startedAt }: Pick<AttemptUnderWay, 'startedAt'>,
  { rows, directUntil }: DirectStart,
  withinMs: number,
): Date | undefined {
  if (!isFirstAttempt(rows.delivery)) return directUntil
  return withinMs === 0 ? undefined : new Date(startedAt.getTime() + withinMs)
}

/** Writes a remembered outcome under the lease of the current attempt. */
export const withLease = (made: MadeAttempt, { direct }: AttemptUnderWay): MadeAttempt =>
  made.directLease && direct ? { ...made, directLease: direct.lease } : made
