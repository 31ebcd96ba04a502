import { DAY_MS } from '../instants.ts'

const DAYS_SHOWN = 30

/** How long usage is kept: twice the longest window of a key's usage, which is a month of 31 days. */
export const KEEP_USAGE_MS = 62 * DAY_MS

/** The requests of one UTC day. `date` is `YYYY-MM-DD`. */
export type DailyUsage = { readonly date: string; readonly requests: number }

/** Requests of the current UTC day, ISO week and month, and of the last 30 days, oldest first, including today. */
export type UsageSummary = {
  readonly day: number
  readonly week: number
  readonly month: number
  readonly daily: readonly DailyUsage[]
}

/**
 * Counts of one UTC day. `requests` counts a request at its beginning. The others count it at its end, by the class of its
 * status. So a request under way, or one whose process was killed, is only in `requests`.
 */
export type DayCounts = {
  readonly requests: number
  readonly responses2xx: number
  readonly responses4xx: number
  readonly responses5xx: number
}

export const NO_COUNTS: DayCounts = { requests: 0, responses2xx: 0, responses4xx: 0, responses5xx: 0 }

/** Counts one response in its class. A redirect would count as 2xx, because it is not an error; at present no route sends one. */
export const countOfResponse = (status: number): DayCounts => ({
  ...NO_COUNTS,
  [status < 400 ? 'responses2xx' : status < 500 ? 'responses4xx' : 'responses5xx']: 1,
})

export const addCounts = (a: DayCounts, b: DayCounts): DayCounts => ({
  requests: a.requests + b.requests,
  responses2xx: a.responses2xx + b.responses2xx,
  responses4xx: a.responses4xx + b.responses4xx,
  responses5xx: a.responses5xx + b.responses5xx,
})

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
  // Stryker disable next-line EqualityOperator: if the two days are the same, it does not matter which one is returned
  return month < oldestShown ? month : oldestShown
}

/**
 * Sums daily counts. They may come in any order and with gaps, and counts of the same day add up. The specification asks for
 * requests per day, week and month. We take the current UTC day, ISO week and month so far, not sliding windows. Days after
 * today do not count: a process whose clock is ahead may have written them.
 */
export function summariseUsage(daily: readonly DailyUsage[], now: Date): UsageSummary {
  const today = dayKey(now)
  const sumSince = (first: string): number => sum(daily.filter(({ date }) => date >= first && date <= today))
  return {
    day: sumSince(today),
    week: sumSince(startOfWeek(now)),
    month: sumSince(startOfMonth(now)),
    daily: daysShown(now).map((date) => ({
      date,
      requests: sum(daily.filter((usage) => usage.date === date)),
    })),
  }
}

/** The days of which usage is shown, oldest first, today included: `YYYY-MM-DD`. */
export const daysShown = (now: Date): string[] =>
  Array.from({ length: DAYS_SHOWN }, (_, index) => daysBefore(now, DAYS_SHOWN - 1 - index))

const sum = (daily: readonly DailyUsage[]): number =>
  daily.reduce((total, { requests }) => total + requests, 0)
