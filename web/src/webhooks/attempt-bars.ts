import { minuteUtc } from '../common/format/times.ts'

type Counted = { readonly attempts: number; readonly failures: number }

/** The label of a span: `2026-01-15 12:00 UTC` for an hour, `2026-01-15` for a day. */
export const startText = (startsAt: string, unit: 'hour' | 'day'): string =>
  unit === 'day' ? startsAt.slice(0, 10) : minuteUtc(startsAt)

/**
 * The share of failed attempts in each hour or day, in percent; null without attempts. Rounded up, so that a single failure
 * shows.
 */
export const errorRates = (series: readonly Counted[]): readonly (number | null)[] =>
  series.map(({ attempts, failures }) =>
    attempts === 0 ? null : Math.ceil((failures / attempts) * 1_000) / 10,
  )
