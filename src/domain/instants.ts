const INSTANT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/

/**
 * Reads a point in time in ISO 8601 with its zone. Refuses a day that its month does not have, because JavaScript would
 * move it into the next month. Refuses years outside 1000 to 9999 in UTC: a column cannot hold them, and a year below
 * 100 would be read back as a year of the 20th or 21st century.
 *
 * @returns undefined if the text is not such a point in time
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

/** The beginning of the minute, hour or day (UTC) in which a time lies. @param unitMs the length of that unit; at most a day */
export const floorTo = (time: Date, unitMs: number): Date =>
  new Date(Math.floor(time.getTime() / unitMs) * unitMs)
