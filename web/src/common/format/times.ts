const STEPS: readonly (readonly [unit: string, seconds: number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
]

/** Units with a plural; the others are signs. */
const PLURALS = new Set(['year', 'month', 'day'])

/** A span in one unit, rounded to the nearest: `5 min`, `3 h`, `2 days`. */
function span(seconds: number): string {
  // What rounds up to a whole larger unit is told in that one: 59.6 minutes are an hour.
  const fits = ([, size]: (typeof STEPS)[number], index: number) => {
    const smaller = STEPS[index + 1]?.[1] ?? size
    return Math.round(seconds / smaller) * smaller >= size
  }
  const [unit, size] = STEPS.find(fits) ?? ['s', 1]
  const value = Math.round(seconds / size)
  return `${value} ${unit}${value !== 1 && PLURALS.has(unit) ? 's' : ''}`
}

/** `5 min ago`, `in 3 h`, rounded to the nearest, and `just now` within ten seconds either way. */
export function relativeTime(at: Date, now: Date): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1_000)
  if (Math.abs(seconds) < 10) return 'just now'
  return seconds < 0 ? `${span(-seconds)} ago` : `in ${span(seconds)}`
}

/** How long it has been so: `for 2 days`. */
export const timeFor = (since: Date, now: Date): string =>
  `for ${span(Math.max(1, Math.round((now.getTime() - since.getTime()) / 1_000)))}`

/** As relativeTime, for what has happened. It is never in the future, also where our clock is behind the server's. */
export const timeAgo = (at: Date, now: Date): string => relativeTime(at < now ? at : now, now)

/** As relativeTime, for what is about to happen: `now` once its time has come. */
export const timeAhead = (at: Date, now: Date): string => (at <= now ? 'now' : relativeTime(at, now))

/** `2026-01-15 09:30:00.123 UTC`. */
export const exactUtc = (at: Date): string => at.toISOString().replace('T', ' ').replace('Z', ' UTC')

const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** In the reader's zone and habits. */
export const localTime = (at: Date): string => LOCAL.format(at)

/** For a hint: in the reader's zone, and in UTC. */
export const bothTimes = (at: Date): string => `${localTime(at)} · ${exactUtc(at)}`
