import type { Bar } from '../common/ui/bar.ts'

type Counted = { readonly starts_at: string; readonly attempts: number; readonly failures: number }

/** `2026-01-15 12:00 UTC` for an hour, `2026-01-15` for a day. */
export const startText = (startsAt: string, unit: 'hour' | 'day'): string =>
  unit === 'day' ? startsAt.slice(0, 10) : `${startsAt.slice(0, 16).replace('T', ' ')} UTC`

/** Attempts by hour or day as columns, with those that failed. */
export const attemptBars = (series: readonly Counted[], unit: 'hour' | 'day' = 'hour'): Bar[] =>
  series.map(({ starts_at, attempts, failures }) => ({
    label: startText(starts_at, unit),
    value: attempts,
    bad: failures,
  }))

/** How many of 100 attempts failed, by hour or day. Rounded up, so that a single failure shows. */
export const errorBars = (series: readonly Counted[], unit: 'hour' | 'day'): Bar[] =>
  series.map(({ starts_at, attempts, failures }) => ({
    label: startText(starts_at, unit),
    value: attempts === 0 ? 0 : Math.ceil((failures / attempts) * 100),
  }))

/** How long 95 of 100 attempts took at most, in milliseconds, by hour or day; 0 without attempts. */
export const slowBars = (
  series: readonly { readonly starts_at: string; readonly p95_ms: number | null }[],
  unit: 'hour' | 'day',
): Bar[] => series.map(({ starts_at, p95_ms }) => ({ label: startText(starts_at, unit), value: p95_ms ?? 0 }))

/** The highest value of a chart. */
export const highestOf = (bars: readonly Bar[]): number => Math.max(0, ...bars.map(({ value }) => value))
