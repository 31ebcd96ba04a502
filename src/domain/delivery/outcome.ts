import { NO_STEPS, type Attempt, type StepTimes, type Trigger } from './delivery.ts'

/** Why an attempt failed, or what was wrong with the body of an answer. Our own short codes, stored as they are. */
export const ATTEMPT_ERRORS = [
  /**
   * The host name does not resolve to a public address. There is no such name, it has no address or only blocked ones, or
   * its zone does not answer although our resolver works.
   */
  'dns_error',
  /** The destination is not allowed: the URL breaks the rules, or its host is an address that is blocked. */
  'blocked_address',
  /** No TCP connection: refused, unreachable, or reset before it was established. */
  'connect_error',
  /** TCP and TLS together took longer than allowed. */
  'connect_timeout',
  /** The TLS handshake failed: certificate not trusted, expired or for another name, or TLS older than 1.2. */
  'tls_error',
  /** The connection was closed or reset before a status line came. */
  'connection_reset',
  /** The attempt's time ended before a status line came. */
  'response_timeout',
  /** What came is not an HTTP/1.1 answer, or its header is too large. */
  'protocol_error',
  /** Answered, but the body went on beyond the bytes we read. */
  'body_too_large',
  /** Answered, but the body broke off or was not what its framing announced. */
  'body_cut',
  /** Answered, but the attempt's time ended before the whole body came. */
  'body_timeout',
] as const

export type AttemptError = (typeof ATTEMPT_ERRORS)[number]

/**
 * The outcome of one attempt. A failure of the endpoint is data. A fault of our own is thrown.
 *
 * - `answered`: a final status line came. It alone decides success, whatever happened to the body (`error`). `body` is
 *   text of at most 16 KiB. `retryAfter` is the header as it was received. `location` is the target of a 3xx, as
 *   storable text. `headers` is what storedHeaders made of all headers.
 * - `unreachable`: no status line came. `isBlocked` is for the operator only. With a `dns_error`, it says that the name
 *   leads to blocked addresses.
 *
 * `durationMs` is the wall time of the whole attempt, in whole milliseconds. It is 0 for a `dns_error`. `steps` is
 * absent if no step was measured.
 */
export type AttemptOutcome =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly body: string
      readonly retryAfter: string | undefined
      readonly location?: string
      readonly headers?: string
      readonly durationMs: number
      readonly steps?: StepTimes
      readonly error?: AttemptError
    }
  | {
      readonly kind: 'unreachable'
      readonly reason: AttemptError
      readonly isBlocked?: true
      readonly durationMs: number
      readonly steps?: StepTimes
    }

/** The lease of the `start` row of a direct attempt. Nobody else may send while it lasts. */
export type StartLease = { readonly rowId: number; readonly version: number; readonly owner: string }

/** An attempt that was made: what its gate read, and its outcome. */
export type MadeAttempt = {
  readonly deliveryId: string
  readonly webhookId: string
  /** `attempts` and `retry_seq` of the row at the gate: the recorder uses them to recognise a stale outcome. */
  readonly attemptsAtGate: number
  readonly retrySeqAtGate: number
  /** The request was made with this version of the webhook's settings. */
  readonly webhookVersionAtGate: number
  readonly trigger: Trigger
  /** Set for a direct attempt. */
  readonly directLease?: StartLease
  /** Given for a direct attempt: a retry that is due no later than this is direct too. */
  readonly directUntil?: Date | undefined
  readonly startedAt: Date
  /** The id of its trace, for the log; absent if this process sends no traces. */
  readonly traceId?: string | undefined
  readonly scheduleMs: readonly number[]
  readonly outcome: AttemptOutcome
}

/** Only a 2xx response makes a delivery `success`. */
export function isSuccessful(outcome: AttemptOutcome): boolean {
  const status = answerIn(outcome)?.status ?? 0
  return status >= 200 && status <= 299
}

/** Whether the endpoint answered 410 Gone. */
export const isGone = (outcome: AttemptOutcome): boolean => answerIn(outcome)?.status === 410

/** The answer of the endpoint; undefined if no status line came. */
export const answerIn = (outcome: AttemptOutcome) =>
  // Stryker disable next-line ConditionalExpression: this only tells the compiler that the other kind has none of the fields
  outcome.kind === 'answered' ? outcome : undefined

/** Why no status line came, for the operator's log and metrics. undefined if a status line came. */
export function unreachableCause(outcome: AttemptOutcome): AttemptError | undefined {
  // Stryker disable next-line ConditionalExpression: an answer has no reason anyway; this is for the compiler
  if (outcome.kind !== 'unreachable') return undefined
  return outcome.isBlocked ? 'blocked_address' : outcome.reason
}

/** A made attempt as it is stored and shown. @param number counts the attempts of the delivery from 1 */
export function attemptOf(
  { outcome, startedAt, trigger, directLease }: MadeAttempt,
  number: number,
): Attempt {
  const answered = answerIn(outcome)
  return {
    number,
    startedAt,
    durationMs: outcome.durationMs,
    responseCode: answered?.status ?? null,
    responseBody: answered?.body ?? null,
    error: outcome.kind === 'unreachable' ? outcome.reason : (outcome.error ?? null),
    location: answered?.location ?? null,
    responseHeaders: answered?.headers ?? null,
    steps: outcome.steps ?? NO_STEPS,
    trigger,
    madeBy: directLease ? 'worker' : 'workflow',
  }
}
