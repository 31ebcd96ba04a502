const INSTANT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/

/**
 * Reads a point in time, ISO 8601 with its zone. Refuses a day that its month does not have, which JavaScript would roll
 * over into the next month. Refuses a year that is not from 1000 to 9999 in UTC: a column holds no other, and a year below
 * 100 would be read back as one of this century or the last.
 *
 * @returns undefined when the text is no such point in time
 */
export function parseInstant(text: string): Date | undefined {
  const day = INSTANT.exec(text)?.[1]
  const date = new Date(text)
  return day !== undefined && isCalendarDay(day) && isOfColumn(date) ? date : undefined
}

const isCalendarDay = (day: string): boolean => {
  const date = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)
}

/** The range of DATETIME (MySQL 8.4 Reference Manual, 13.2.2). */
const isOfColumn = (date: Date): boolean =>
  !Number.isNaN(date.getTime()) && /^[1-9]\d{3}-/.test(date.toISOString())

export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/** The beginning of the minute, hour or day (UTC) that a time lies in. @param unitMs its length, at most a day */
export const floorTo = (time: Date, unitMs: number): Date =>
  new Date(Math.floor(time.getTime() / unitMs) * unitMs)
