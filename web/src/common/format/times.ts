import { texts } from './texts.ts'

const STEPS = [
  [texts.years, 31_536_000],
  [texts.months, 2_592_000],
  [texts.days, 86_400],
  [texts.hourSigns, 3_600],
  [texts.minuteSigns, 60],
  [texts.secondSigns, 1],
] as const

/** A duration in one unit, rounded to the nearest: `5 min`, `3 h`, `2 days`. */
function span(seconds: number): string {
  // If rounding reaches the next larger unit, that unit is used: 59.6 minutes are an hour.
  const fits = ([, size]: (typeof STEPS)[number], index: number) => {
    const smaller = STEPS[index + 1]?.[1] ?? size
    return Math.round(seconds / smaller) * smaller >= size
  }
  const [inUnit, size] = STEPS.find(fits) ?? [texts.secondSigns, 1]
  return inUnit({ number: Math.round(seconds / size) })
}

/** `5 min ago` or `in 3 h`, rounded to the nearest. `just now` if the moment is within ten seconds before or after now. */
export function relativeTime(at: Date, now: Date): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1_000)
  if (Math.abs(seconds) < 10) return texts.justNow
  return seconds < 0 ? texts.ago({ span: span(-seconds) }) : texts.in({ span: span(seconds) })
}

/** How long a state has lasted: `for 2 days`. */
export const timeFor = (since: Date, now: Date): string =>
  texts.for({ span: span(Math.max(1, Math.round((now.getTime() - since.getTime()) / 1_000))) })

/** Like relativeTime, for a moment that has passed. It never says `in …`, even if our clock is behind the server's. */
export const timeAgo = (at: Date, now: Date): string => relativeTime(at < now ? at : now, now)

/** Like relativeTime, for a moment that is to come. It says `now` once the moment has come. */
export const timeAhead = (at: Date, now: Date): string => (at <= now ? texts.now : relativeTime(at, now))

/** `2026-01-15 09:30:00.123 UTC`. */
export const exactUtc = (at: Date): string =>
  texts.utc({ time: at.toISOString().replace('T', ' ').replace('Z', '') })

/** A moment to the minute: `2026-01-15 09:30 UTC`. @param at ISO 8601, UTC */
export const minuteUtc = (at: string): string => texts.utc({ time: at.slice(0, 16).replace('T', ' ') })

/** The format of all times on all screens: 24 hours, in the reader's zone. It names the zone where a moment stands alone. */
const formatOf = (parts: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(undefined, { hourCycle: 'h23', ...parts })

const DAY = { month: 'short', day: 'numeric' } as const
const TIME = { hour: '2-digit', minute: '2-digit' } as const
const IN_ZONE = { ...TIME, timeZoneName: 'short' } as const

const LOCAL = formatOf({ year: 'numeric', ...DAY, ...IN_ZONE })
const OF_THIS_YEAR = formatOf({ ...DAY, ...IN_ZONE })
const OF_TODAY = formatOf(IN_ZONE)
const HOUR = formatOf({ weekday: 'short', ...DAY, ...TIME })
const MINUTES = formatOf(TIME)
const SECONDS = formatOf({ ...TIME, second: '2-digit' })
const THIS_YEARS_DAY = formatOf({ weekday: 'short', ...DAY })
const ANY_DAY = formatOf({ year: 'numeric', weekday: 'short', ...DAY })
const DAY_OF_UTC = formatOf({ ...DAY, timeZone: 'UTC' })
const WEEKDAY_OF_UTC = formatOf({ weekday: 'short', ...DAY, timeZone: 'UTC' })

/** `Nov 27, 2026, 16:18 GMT+1`. */
export const localTime = (at: Date): string => LOCAL.format(at)

/** Like localTime, but without the current year: `Nov 27, 16:18 GMT+1`. For today only the time. */
export function momentOf(at: Date, now: Date): string {
  if (at.toDateString() === now.toDateString()) return OF_TODAY.format(at)
  return at.getFullYear() === now.getFullYear() ? OF_THIS_YEAR.format(at) : localTime(at)
}

/** `16:18`, for use below the name of the day. */
export const timeOfDay = (at: Date): string => MINUTES.format(at)

/** `16:18:05`, for use beside a relative time. */
export const clockTime = (at: Date): string => SECONDS.format(at)

/** `Fri, Nov 27, 16:00`: the label of a column of a chart. */
export const hourOf = (at: Date): string => HOUR.format(at)

/** A UTC day, with or without its weekday: `Fri, Nov 27`. */
export const dayOfUtc = (at: Date, hasWeekday = false): string =>
  (hasWeekday ? WEEKDAY_OF_UTC : DAY_OF_UTC).format(at)

/** A day as a heading in a list: `Today`, `Yesterday`, `Tue, Nov 24`. It has the year if that is not the current one. */
export function dayOf(at: Date, now: Date): string {
  const yesterday = new Date(now)
  yesterday.setDate(now.getDate() - 1)
  if (at.toDateString() === now.toDateString()) return texts.today
  if (at.toDateString() === yesterday.toDateString()) return texts.yesterday
  return (at.getFullYear() === now.getFullYear() ? THIS_YEARS_DAY : ANY_DAY).format(at)
}

/** For a tooltip: the moment in the reader's zone and in UTC. */
export const bothTimes = (at: Date): string => `${localTime(at)} · ${exactUtc(at)}`
