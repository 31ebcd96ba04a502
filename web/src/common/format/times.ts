const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]

const WORDS = new Intl.RelativeTimeFormat('en', { numeric: 'always' })

/** `5 minutes ago`, `in 3 hours`, rounded to the nearest, and `just now` within ten seconds either way. */
export function relativeTime(at: Date, now: Date): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1_000)
  if (Math.abs(seconds) < 10) return 'just now'
  // What rounds up to a whole larger unit is told in that one: 59.6 minutes are an hour.
  const fits = ([, size]: (typeof STEPS)[number], index: number) => {
    const smaller = STEPS[index + 1]?.[1] ?? size
    return Math.round(Math.abs(seconds) / smaller) * smaller >= size
  }
  const [unit, size] = STEPS.find(fits) ?? ['second', 1]
  return WORDS.format(Math.round(seconds / size), unit)
}

/** As relativeTime, for what has happened. It is never in the future, also where our clock is behind the server's. */
export const timeAgo = (at: Date, now: Date): string => relativeTime(at < now ? at : now, now)

/** As relativeTime, for what is about to happen: `now` once its time has come. */
export const timeAhead = (at: Date, now: Date): string => (at <= now ? 'now' : relativeTime(at, now))

/** `2026-01-15 09:30:00.123 UTC`. */
export const exactUtc = (at: Date): string => at.toISOString().replace('T', ' ').replace('Z', ' UTC')

const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** In the reader's zone and habits. */
export const localTime = (at: Date): string => LOCAL.format(at)
