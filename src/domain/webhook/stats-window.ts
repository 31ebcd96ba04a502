import { DAY_MS, floorTo, HOUR_MS } from '../instants.ts'
import { addFigures, NO_FIGURES, type AttemptFigures } from './stats.ts'

const WINDOWS = {
  '24h': { unit: 'hour', unitMs: HOUR_MS, count: 24 },
  '7d': { unit: 'day', unitMs: DAY_MS, count: 7 },
  '30d': { unit: 'day', unitMs: DAY_MS, count: 30 },
} as const

/** The windows of statistics. Each ends now, so its last hour or day is not over yet. */
export type StatsWindow = keyof typeof WINDOWS

export const STATS_WINDOWS = Object.keys(WINDOWS) as readonly StatsWindow[]

export const DEFAULT_STATS_WINDOW: StatsWindow = '24h'

/** Figures of the hour or the day (UTC) that begins at `startsAt`. */
export type StatsEntry = { readonly startsAt: Date; readonly figures: AttemptFigures }

/** What happened to the attempts of a webhook within a window. */
export type AttemptStatistics = {
  readonly window: StatsWindow
  readonly unit: 'hour' | 'day'
  readonly since: Date
  /** When they were read. */
  readonly until: Date
  readonly totals: AttemptFigures
  /** Every hour or day of the window, oldest first. */
  readonly series: readonly StatsEntry[]
}

/** When a window begins: with a whole hour, or with a whole day in UTC. */
export function windowStart(window: StatsWindow, now: Date): Date {
  const { unitMs, count } = WINDOWS[window]
  return new Date(floorTo(now, unitMs).getTime() - (count - 1) * unitMs)
}

/** Adds entries up to the series of a window and to its totals. @param entries in any order, several for the same time too */
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
