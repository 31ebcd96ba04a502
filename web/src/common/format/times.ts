import { texts } from './texts.ts'

const STEPS = [
  [texts.years, 31_536_000],
  [texts.months, 2_592_000],
  [texts.days, 86_400],
  [texts.hourSigns, 3_600],
  [texts.minuteSigns, 60],
  [texts.secondSigns, 1],
] as const

/** A span in one unit, rounded to the nearest: `5 min`, `3 h`, `2 days`. */
function span(seconds: number): string {
  // What rounds up to a whole larger unit is told in that one: 59.6 minutes are an hour.
  const fits = ([, size]: (typeof STEPS)[number], index: number) => {
    const smaller = STEPS[index + 1]?.[1] ?? size
    return Math.round(seconds / smaller) * smaller >= size
  }
  const [inUnit, size] = STEPS.find(fits) ?? [texts.secondSigns, 1]
  return inUnit({ number: Math.round(seconds / size) })
}

/** `5 min ago`, `in 3 h`, rounded to the nearest, and `just now` within ten seconds either way. */
export function relativeTime(at: Date, now: Date): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1_000)
  if (Math.abs(seconds) < 10) return texts.justNow
  return seconds < 0 ? texts.ago({ span: span(-seconds) }) : texts.in({ span: span(seconds) })
}

/** How long it has been so: `for 2 days`. */
export const timeFor = (since: Date, now: Date): string =>
  texts.for({ span: span(Math.max(1, Math.round((now.getTime() - since.getTime()) / 1_000))) })

/** As relativeTime, for what has happened. It is never in the future, also where our clock is behind the server's. */
export const timeAgo = (at: Date, now: Date): string => relativeTime(at < now ? at : now, now)

/** As relativeTime, for what is about to happen: `now` once its time has come. */
export const timeAhead = (at: Date, now: Date): string => (at <= now ? texts.now : relativeTime(at, now))

/** `2026-01-15 09:30:00.123 UTC`. */
export const exactUtc = (at: Date): string =>
  texts.utc({ time: at.toISOString().replace('T', ' ').replace('Z', '') })

/** To the minute: `2026-01-15 09:30 UTC`. @param at ISO 8601, UTC */
export const minuteUtc = (at: string): string => texts.utc({ time: at.slice(0, 16).replace('T', ' ') })

const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** In the reader's zone and habits. */
export const localTime = (at: Date): string => LOCAL.format(at)

const SHORT_CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

const OF_THIS_YEAR = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
})

/** As localTime, of this year without it: `Nov 27, 4:18 PM`; of today the time alone. */
export function momentOf(at: Date, now: Date): string {
  if (at.toDateString() === now.toDateString()) return SHORT_CLOCK.format(at)
  return at.getFullYear() === now.getFullYear() ? OF_THIS_YEAR.format(at) : localTime(at)
}

/** The time of day with seconds, in the reader's zone. */
export const clockTime = (at: Date): string => CLOCK.format(at)

const DAY_AND_TIME = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})

/** As momentOf, with the day of the week in place of the year that now has too: `Tue 24 Nov, 12:29`. */
export function shortTime(at: Date, now: Date): string {
  const isToday = at.toDateString() === now.toDateString()
  return !isToday && at.getFullYear() === now.getFullYear() ? DAY_AND_TIME.format(at) : momentOf(at, now)
}

const ZONE = new Intl.DateTimeFormat(undefined, { timeZoneName: 'short' })

/** The reader's zone at this time, in short: `CET`, `GMT+5:30`. */
export const zoneAt = (at: Date): string =>
  ZONE.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ''

/** For a hint: in the reader's zone, and in UTC. */
export const bothTimes = (at: Date): string => `${localTime(at)} · ${exactUtc(at)}`
