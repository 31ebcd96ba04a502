import { texts } from './texts.ts'

/** Two times while they are typed, each as `2026-01-15T09:30` in the zone of the reader, or empty. */
export type OwnTimes = { readonly since: string; readonly until: string }

/** What is wrong with own times, by input. */
export type OwnFaults = { readonly since?: string; readonly until?: string }

const two = (part: number | string) => String(part).padStart(2, '0')

/** A day as a field takes it: `2026-01-15` in the zone of the reader. */
export const toLocalDay = (at: Date): string =>
  [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-')

/** A moment as fields of a day and a time take it: `2026-01-15T09:30` in the zone of the reader. */
export const toLocalInput = (at: Date): string =>
  `${toLocalDay(at)}T${two(at.getHours())}:${two(at.getMinutes())}`

/** What such fields give, as ISO 8601 in UTC; undefined while it is empty or incomplete, and for a 30 February. */
export function fromLocalInput(text: string): string | undefined {
  const at = new Date(text)
  const isWhole = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) && !Number.isNaN(at.getTime())
  return isWhole && toLocalDay(at) === text.slice(0, 10) ? at.toISOString() : undefined
}

/** A day as people type it, `2026-1-5` or `2026/01/05`, as `2026-01-05`; undefined if it is none. */
export function readDay(text: string): string | undefined {
  const [, year = '', month = '', day = ''] = /^\s*(\d{4})[-./ ](\d{1,2})[-./ ](\d{1,2})\s*$/.exec(text) ?? []
  const typed = `${year}-${two(month)}-${two(day)}`
  return fromLocalInput(`${typed}T12:00`) && typed
}

/** A time as people type it, `9`, `9:30`, `0930` or `9:30 pm`, as `09:30`; undefined if it is none. */
export function readClock(text: string): string | undefined {
  const [, hour, minute = '00', half] = /^\s*(\d{1,2})[:.]?(\d\d)?\s*([ap]m)?\s*$/i.exec(text) ?? []
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0)
  return hour !== undefined && hours < 24 && Number(minute) < 60 ? `${two(hours)}:${minute}` : undefined
}

/** A whole timestamp, such as one of a log, in the zone of the reader; undefined for anything else. */
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

/** Why two times are no window: one is not complete, or it would end before it begins. An empty one is no limit. */
export function windowFaults({ since, until }: OwnTimes): OwnFaults {
  const [from, to] = [fromLocalInput(since), fromLocalInput(until)]
  if (since !== '' && from === undefined) return { since: texts.noTime }
  if (until !== '' && to === undefined) return { until: texts.noTime }
  return from !== undefined && to !== undefined && to <= from ? { until: texts.endBeforeBegin } : {}
}

/** The zone of the reader: `Europe/Berlin`. */
export const ownZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone
