const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/**
 * The delays after attempts 1 to 10, in milliseconds. Attempts are counted from when the delivery was queued. The first
 * delays are short, for brief outages. The last ones reach a day, so that an endpoint may be down for a weekend.
 */
export const DEFAULT_RETRY_SCHEDULE_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
  24 * HOUR,
]

/** The largest random change of a delay, as a share of the delay. It spreads the retries of deliveries that failed together. */
const JITTER = 0.1

/**
 * Statuses whose Retry-After counts: 429 (too many requests), and three statuses of overloaded proxies and services.
 * Standard Webhooks names 502 and 504 in addition to 429.
 */
const RETRY_AFTER_STATUSES = new Set([429, 502, 503, 504])

/** Retry-After can ask for at most this wait, or for twice the planned delay if that is longer. */
const RETRY_AFTER_CEILING_MS = HOUR

type RetryInput = {
  /** Delays in milliseconds; the last one repeats. Never empty. */
  readonly scheduleMs: readonly number[]
  /** Failed attempts since the delivery was (re)queued, at least 1. */
  readonly failedAttempts: number
  readonly status: number | undefined
  /** The Retry-After header as it was received. */
  readonly retryAfter: string | undefined
  readonly now: Date
  /** A random number, uniform in [0, 1). */
  readonly random: number
}

/** Whole milliseconds until the next attempt, by schedule, jitter, and Retry-After on 429, 502, 503 and 504. */
export function retryDelayMs(input: RetryInput): number {
  const index = Math.min(Math.max(input.failedAttempts, 1), input.scheduleMs.length) - 1
  const plannedMs = input.scheduleMs[index] ?? 0
  const jitteredMs = Math.round(plannedMs * (1 + JITTER * (2 * input.random - 1)))
  const askedMs = askedPauseMs(input.status, input.retryAfter, input.now)
  if (askedMs === undefined) return jitteredMs
  return Math.min(Math.max(askedMs, jitteredMs), Math.max(2 * plannedMs, RETRY_AFTER_CEILING_MS))
}

/** The pause that an endpoint asked for by Retry-After on 429, 502, 503 or 504, in milliseconds. */
export const askedPauseMs = (
  status: number | undefined,
  retryAfter: string | undefined,
  now: Date,
): number | undefined => (RETRY_AFTER_STATUSES.has(status ?? 0) ? retryAfterMs(retryAfter, now) : undefined)

/**
 * Reads a Retry-After value (RFC 9110 section 10.2.3): any number of seconds, or an HTTP date. It reads only the form of
 * date that senders must use.
 *
 * @returns milliseconds from now, possibly Infinity; undefined for any other text, and for a date that is not in the future
 */
export function retryAfterMs(value: string | undefined, now: Date): number | undefined {
  // Stryker disable next-line ConditionalExpression: no pattern below matches «undefined»; this is for the compiler
  if (value === undefined) return undefined
  if (/^\d+$/.test(value)) return Number(value) * SECOND
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(value)) return undefined
  const atMs = Date.parse(value)
  return Number.isNaN(atMs) || atMs <= now.getTime() ? undefined : atMs - now.getTime()
}
