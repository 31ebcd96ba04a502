import { RESPONSE_CLASSES, type ResponseClass } from '../delivery/lists.ts'
import { answerIn, type AttemptError, type AttemptOutcome } from '../delivery/outcome.ts'
import { DAY_MS, floorTo, HOUR_MS } from '../instants.ts'

/**
 * The upper limits of the duration buckets, in milliseconds. An attempt counts in the first bucket whose limit it does
 * not exceed. The last limit is the longest WEBHOOK_TIMEOUT. Attempts that take longer count in the last bucket too.
 */
export const DURATION_BOUNDS_MS: readonly number[] = [
  20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 60_000, 600_000,
]

/** Why no status line came. Codes about bodies are not among them, because an answer with a faulty body counts by its status. */
export const NO_ANSWER_ERRORS = [
  ...(['dns_error', 'blocked_address', 'connect_error', 'connect_timeout'] as const),
  ...(['tls_error', 'connection_reset', 'response_timeout', 'protocol_error'] as const),
] satisfies readonly AttemptError[]

type NoAnswerError = (typeof NO_ANSWER_ERRORS)[number]

/** The number of attempts. Each counts in one class and in one bucket, and by its error if its class is `none`. */
export type AttemptFigures = {
  readonly byClass: Readonly<Record<ResponseClass, number>>
  readonly byError: Readonly<Record<NoAnswerError, number>>
  /** In the order of DURATION_BOUNDS_MS. */
  readonly byDuration: readonly number[]
}

const byName = <Name extends string>(names: readonly Name[], countOf: (name: Name) => number) =>
  Object.fromEntries(names.map((name) => [name, countOf(name)])) as Record<Name, number>

export const NO_FIGURES: AttemptFigures = {
  byClass: byName(RESPONSE_CLASSES, () => 0),
  byError: byName(NO_ANSWER_ERRORS, () => 0),
  byDuration: DURATION_BOUNDS_MS.map(() => 0),
}

/** The figures after one more attempt. */
export function withAttempt(figures: AttemptFigures, outcome: AttemptOutcome): AttemptFigures {
  const { byClass, byError, byDuration } = figures
  const responseClass = classOf(outcome)
  const bucket = bucketOf(outcome.durationMs)
  return {
    byClass: { ...byClass, [responseClass]: byClass[responseClass] + 1 },
    byError:
      // Stryker disable next-line LogicalOperator,ConditionalExpression: an answer has no reason; this is for the compiler
      outcome.kind === 'unreachable' && isNoAnswerError(outcome.reason)
        ? { ...byError, [outcome.reason]: byError[outcome.reason] + 1 }
        : byError,
    byDuration: byDuration.map((count, index) => (index === bucket ? count + 1 : count)),
  }
}

/** Statuses from 600 on, which HTTP does not define, count as 5xx. */
function classOf(outcome: AttemptOutcome): ResponseClass {
  const digit = Math.min(5, Math.floor((answerIn(outcome)?.status ?? 0) / 100))
  return RESPONSE_CLASSES[digit - 2] ?? 'none'
}

const isNoAnswerError = (reason: AttemptError): reason is NoAnswerError =>
  (NO_ANSWER_ERRORS as readonly AttemptError[]).includes(reason)

function bucketOf(durationMs: number): number {
  const index = DURATION_BOUNDS_MS.findIndex((bound) => durationMs <= bound)
  return index === -1 ? DURATION_BOUNDS_MS.length - 1 : index
}

/** The sum of two figures. */
export const addFigures = (a: AttemptFigures, b: AttemptFigures): AttemptFigures => ({
  byClass: byName(RESPONSE_CLASSES, (name) => a.byClass[name] + b.byClass[name]),
  byError: byName(NO_ANSWER_ERRORS, (name) => a.byError[name] + b.byError[name]),
  byDuration: a.byDuration.map((count, index) => count + (b.byDuration[index] ?? 0)),
})

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)

export const attemptsIn = ({ byClass }: AttemptFigures): number => sum(Object.values(byClass))

/**
 * The percentile of the attempts' durations, estimated like `histogram_quantile` of Prometheus: the attempts of a bucket
 * are assumed to be spread evenly over it.
 *
 * @returns whole milliseconds; null without attempts
 */
export function percentileMs({ byDuration }: AttemptFigures, percent: number): number | null {
  const rank = Math.max(1, Math.ceil((sum(byDuration) * percent) / 100))
  let seen = 0
  for (const [index, count] of byDuration.entries()) {
    const before = seen
    seen += count
    if (seen < rank) continue
    const [from, to] = [DURATION_BOUNDS_MS[index - 1] ?? 0, DURATION_BOUNDS_MS[index] ?? 0]
    return Math.round(from + (to - from) * ((rank - before) / count))
  }
  return null
}

const WINDOWS = {
  '24h': { unit: 'hour', unitMs: HOUR_MS, count: 24 },
  '7d': { unit: 'day', unitMs: DAY_MS, count: 7 },
  '30d': { unit: 'day', unitMs: DAY_MS, count: 30 },
} as const

/** The windows of statistics. Each ends now, so its last hour or day is not complete. */
export type StatsWindow = keyof typeof WINDOWS

export const STATS_WINDOWS = Object.keys(WINDOWS) as readonly StatsWindow[]

export const DEFAULT_STATS_WINDOW: StatsWindow = '24h'

/** Figures of the hour or the day (UTC) that begins at `startsAt`. */
export type StatsEntry = { readonly startsAt: Date; readonly figures: AttemptFigures }

/** The statistics of a webhook's attempts within a window. */
export type AttemptStatistics = {
  readonly window: StatsWindow
  readonly unit: 'hour' | 'day'
  readonly since: Date
  /** When the statistics were read. */
  readonly until: Date
  readonly totals: AttemptFigures
  /** Every hour or day of the window, oldest first. */
  readonly series: readonly StatsEntry[]
}

/** When a window begins: at the start of an hour, or of a day in UTC. */
export function windowStart(window: StatsWindow, now: Date): Date {
  const { unitMs, count } = WINDOWS[window]
  return new Date(floorTo(now, unitMs).getTime() - (count - 1) * unitMs)
}

/** Sums entries into the series and totals of a window. @param entries in any order; several may have the same time */
export function statisticsOf(
  window: StatsWindow,
  now: Date,
  entries: readonly StatsEntry[],
): AttemptStatistics {
  const { unit, unitMs, count } = WINDOWS[window]
  const since = windowStart(window, now)
  const sums = new Map<number, AttemptFigures>()
  for (const { startsAt, figures } of entries) {
    const key = floorTo(startsAt, unitMs).getTime()
    sums.set(key, addFigures(sums.get(key) ?? NO_FIGURES, figures))
  }
  const series = Array.from({ length: count }, (_, index) => {
    const atMs = since.getTime() + index * unitMs
    return { startsAt: new Date(atMs), figures: sums.get(atMs) ?? NO_FIGURES }
  })
  const totals = series.reduce((total, { figures }) => addFigures(total, figures), NO_FIGURES)
  return { window, unit, since, until: now, totals, series }
}
