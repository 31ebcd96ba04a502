const DAY_MS = 86_400_000
const DAYS_SHOWN = 30

/** Requests of one UTC day; `date` is `YYYY-MM-DD`. */
export type DailyUsage = { readonly date: string; readonly requests: number }

/** Requests of the current UTC day, ISO week and month, and of the last 30 days, oldest first, today included. */
export type UsageSummary = {
  readonly day: number
  readonly week: number
  readonly month: number
  readonly daily: readonly DailyUsage[]
}

/** Requests of one key that were counted since the last write, and the latest of them. */
export type KeyUsage = {
  readonly keyId: string
  readonly latest: { readonly at: Date; readonly address: string }
  /** Requests by UTC day (`YYYY-MM-DD`). */
  readonly requestsByDay: ReadonlyMap<string, number>
}

/** The UTC day of a moment as `YYYY-MM-DD`. Such keys sort as text in the order of time. */
export const dayKey = (moment: Date): string => moment.toISOString().slice(0, 10)

const daysBefore = (moment: Date, days: number): string => dayKey(new Date(moment.getTime() - days * DAY_MS))

/** The Monday (UTC) of the moment's week: ISO 8601 weeks begin on Monday. */
export const startOfWeek = (moment: Date): string => daysBefore(moment, (moment.getUTCDay() + 6) % 7)

/** The first day (UTC) of the moment's month. */
export const startOfMonth = (moment: Date): string => `${dayKey(moment).slice(0, 7)}-01`

/** The earliest day that {@link summariseUsage} needs: on the 31st the month begins one day before the 30 days shown. */
export const usageSince = (now: Date): string => {
  const [oldestShown, month] = [daysBefore(now, DAYS_SHOWN - 1), startOfMonth(now)]
  return month < oldestShown ? month : oldestShown
}

/**
 * Sums daily counts, given in any order and with gaps; days may repeat (counts add up). The specification asks for
 * requests per day, week and month. We take the current UTC day, ISO week and month so far, not sliding windows. Days
 * after today, as another clock might write, are left out.
 */
export function summariseUsage(daily: readonly DailyUsage[], now: Date): UsageSummary {
  const today = dayKey(now)
  const sumSince = (first: string): number => sum(daily.filter(({ date }) => date >= first && date <= today))
  return {
    day: sumSince(today),
    week: sumSince(startOfWeek(now)),
    month: sumSince(startOfMonth(now)),
    daily: Array.from({ length: DAYS_SHOWN }, (_, index) => {
      const date = daysBefore(now, DAYS_SHOWN - 1 - index)
      return { date, requests: sum(daily.filter((usage) => usage.date === date)) }
    }),
  }
}

const sum = (daily: readonly DailyUsage[]): number =>
  daily.reduce((total, { requests }) => total + requests, 0)
