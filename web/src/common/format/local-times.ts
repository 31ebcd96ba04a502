import { texts } from './texts.ts'

/** The texts of two time fields, each `2026-01-15T09:30` in the reader's zone, or empty. */
export type OwnTimes = { readonly since: string; readonly until: string }

/** The errors of the two time fields. */
export type OwnFaults = { readonly since?: string; readonly until?: string }

const two = (part: number | string) => String(part).padStart(2, '0')

/** A day in the form of a date field: `2026-01-15`, in the reader's zone. */
export const toLocalDay = (at: Date): string =>
  [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-')

/** A moment in the form of date and time fields: `2026-01-15T09:30`, in the reader's zone. */
export const toLocalInput = (at: Date): string =>
  `${toLocalDay(at)}T${two(at.getHours())}:${two(at.getMinutes())}`

/** Converts such a text to ISO 8601 in UTC. undefined if it is empty or incomplete, or names a day such as 30 February. */
export function fromLocalInput(text: string): string | undefined {
  const at = new Date(text)
  const isWhole = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) && !Number.isNaN(at.getTime())
  return isWhole && toLocalDay(at) === text.slice(0, 10) ? at.toISOString() : undefined
}

/** Reads a day as people type it, such as `2026-1-5` or `2026/01/05`. Returns `2026-01-05`, or undefined if it is not a day. */
export function readDay(text: string): string | undefined {
  const [, year = '', month = '', day = ''] = /^\s*(\d{4})[-./ ](\d{1,2})[-./ ](\d{1,2})\s*$/.exec(text) ?? []
  const typed = `${year}-${two(month)}-${two(day)}`
  return fromLocalInput(`${typed}T12:00`) && typed
}

/**
 * Reads a time as people type it, such as `9`, `9:30`, `0930` or `9:30 pm`. Returns `09:30`, or undefined if it is not a time.
 */
export function readClock(text: string): string | undefined {
  const [, hour, minute = '00', half] = /^\s*(\d{1,2})[:.]?(\d\d)?\s*([ap]m)?\s*$/i.exec(text) ?? []
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0)
  return hour !== undefined && hours < 24 && Number(minute) < 60 ? `${two(hours)}:${minute}` : undefined
}

/** Converts a whole timestamp, such as one from a log, to the reader's zone. undefined for any other text. */
export function readTimestamp(text: string): string | undefined {
  const at = new Date(
    text
      .trim()
      .replace(/ ?utc$/i, 'Z')
      .replace(' ', 'T'),
  )
  return /^\s*\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text) && !Number.isNaN(at.getTime())
    ? toLocalInput(at)
    : undefined
}

/**
 * The errors of two times that are no window: a time is incomplete, or the end is before the beginning. An empty time sets
 * no limit.
 */
export function windowFaults({ since, until }: OwnTimes): OwnFaults {
  const [from, to] = [fromLocalInput(since), fromLocalInput(until)]
  if (since !== '' && from === undefined) return { since: texts.noTime }
  if (until !== '' && to === undefined) return { until: texts.noTime }
  return from !== undefined && to !== undefined && to <= from ? { until: texts.endBeforeBegin } : {}
}

/** The reader's time zone, such as `Europe/Berlin`. */
export const ownZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone
