import { minuteUtc } from '../common/format/times.ts'

type Counted = { readonly attempts: number; readonly failures: number }

/** `2026-01-15 12:00 UTC` for an hour, `2026-01-15` for a day. */
export const startText = (startsAt: string, unit: 'hour' | 'day'): string =>
  unit === 'day' ? startsAt.slice(0, 10) : minuteUtc(startsAt)

/** The share of failed attempts by hour or day, in percent; null where nothing was sent. Rounded up, so that one failure shows. */
export const errorRates = (series: readonly Counted[]): readonly (number | null)[] =>
  series.map(({ attempts, failures }) =>
    attempts === 0 ? null : Math.ceil((failures / attempts) * 1_000) / 10,
  )
