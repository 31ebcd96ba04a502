import { DAY_MS, MINUTE_MS } from '../instants.ts'

const DAYS_SHOWN = 30

/** How long usage is kept: twice the longest window of a key's usage, which is a month of 31 days. */
export const KEEP_USAGE_MS = 62 * DAY_MS

/** The requests of one UTC day. `date` is `YYYY-MM-DD`. */
export type DailyUsage = { readonly date: string; readonly requests: number }

/** Requests of the current UTC day, ISO week and month. `daily`: the last 30 days, including today, oldest first. */
export type UsageSummary = {
  readonly day: number
  readonly week: number
  readonly month: number
  readonly daily: readonly DailyUsage[]
}

/**
 * Counts of one UTC day. `requests` counts a request when it begins. The other fields count it when it ends, by the
 * class of its status. So a request under way, or one whose process was killed, is only in `requests`.
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

/**
 * The earliest day that {@link summariseUsage} needs. On the 31st of a month, that day is the 1st, one day before the
 * oldest day shown.
 */
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

/** The days for which usage is shown, as `YYYY-MM-DD`: oldest first, and today last. */
export const daysShown = (now: Date): string[] =>
  Array.from({ length: DAYS_SHOWN }, (_, index) => daysBefore(now, DAYS_SHOWN - 1 - index))

const sum = (daily: readonly DailyUsage[]): number =>
  daily.reduce((total, { requests }) => total + requests, 0)

/** For a key, at most this many routes and this many addresses are kept: the latest ones. */
const MOST_KEPT = 20

/** The longest address: an IPv4 address mapped into IPv6. */
const ADDRESS_LENGTH = 45

const MINUTES_KEPT = 60

/** What a key was recently used for. All maps have a limited size, whatever callers send. */
export type RecentUse = {
  /** For each route, such as `GET /api-v1-webhooks/:id`, the time of its latest response (ms since 1970). */
  readonly endpoints: Map<string, number>
  /** For each address, the time of its latest request (ms since 1970). */
  readonly addresses: Map<string, number>
  /** The requests of each minute (minutes since 1970). Its keys are texts: the database stores the map as JSON. */
  readonly minutes: Map<string, number>
}

/** The requests and responses of one key since the last write, and its latest request. */
export type KeyUsage = {
  readonly keyId: string
  readonly latest: { readonly at: Date; readonly address: string }
  /** By UTC day (`YYYY-MM-DD`). */
  readonly days: ReadonlyMap<string, DayCounts>
  readonly recent: RecentUse
}

/**
 * The use of a key by one request. The address is known when the request begins, and the route (`endpoint`) is known
 * when it ends.
 */
export function recentUse(
  at: Date,
  { address, endpoint }: { readonly address?: string; readonly endpoint?: string | undefined },
): RecentUse {
  const atMs = at.getTime()
  return {
    endpoints: new Map(endpoint === undefined ? [] : [[endpoint, atMs]]),
    addresses: new Map(address === undefined ? [] : [[address.slice(0, ADDRESS_LENGTH), atMs]]),
    minutes: new Map(address === undefined ? [] : [[minuteOf(atMs).toString(), 1]]),
  }
}

const minuteOf = (atMs: number): number => Math.floor(atMs / MINUTE_MS)

/**
 * Adds recent use to the sum, in place. Of two times the later one stays, and requests of the same minute are added up.
 * The sum then has at most MOST_KEPT routes, MOST_KEPT addresses and MINUTES_KEPT minutes, the latest of them.
 */
export function addRecentUse(sum: RecentUse, { endpoints, addresses, minutes }: RecentUse): RecentUse {
  addLatest(sum.endpoints, endpoints)
  addLatest(sum.addresses, addresses)
  for (const [minute, requests] of minutes) {
    sum.minutes.set(minute, (sum.minutes.get(minute) ?? 0) + requests)
    if (sum.minutes.size > MINUTES_KEPT) sum.minutes.delete(lowest(sum.minutes.keys(), Number))
  }
  return sum
}

/** Adds names. Each takes constant time, or time linear in MOST_KEPT if the oldest name must be removed. */
function addLatest(sum: Map<string, number>, added: ReadonlyMap<string, number>): void {
  const timeOf = (name: string) => sum.get(name) ?? 0
  for (const [name, atMs] of added) {
    sum.set(name, Math.max(timeOf(name), atMs))
    if (sum.size > MOST_KEPT) sum.delete(lowest(sum.keys(), timeOf))
  }
}

/** The name with the lowest value. If several have it, the first of them. */
function lowest(names: Iterable<string>, valueOf: (name: string) => number): string {
  let found = ''
  let least = Infinity
  for (const name of names) {
    const value = valueOf(name)
    if (value < least) [found, least] = [name, value]
  }
  return found
}

/** The use of a key: 30 days, the oldest first, and the recent routes and addresses, the latest first. */
export type KeyRecentUse = ReturnType<typeof summariseRecentUse> & {
  readonly daily: readonly (DayCounts & { readonly date: string })[]
}

/** The recent use that is shown. Routes and addresses that were last used more than KEEP_USAGE_MS ago are left out. */
export function summariseRecentUse(use: RecentUse | undefined, now: Date) {
  const thisMinute = minuteOf(now.getTime())
  const lastHour = [...(use?.minutes ?? [])]
    .filter(([minute]) => Number(minute) > thisMinute - MINUTES_KEPT && Number(minute) <= thisMinute)
    .reduce((sum, [, requests]) => sum + requests, 0)
  const latest = (times: ReadonlyMap<string, number> | undefined) =>
    [...(times ?? [])]
      .filter(([, atMs]) => atMs > now.getTime() - KEEP_USAGE_MS)
      .toSorted(([, a], [, b]) => b - a)
      .map(([name, atMs]) => [name, new Date(atMs)] as const)
  return {
    /** The requests of the current minute and of the 59 minutes before it. */
    lastHour,
    endpoints: latest(use?.endpoints).map(([name, lastUsedAt]) => {
      const [method = '', path = ''] = name.split(' ')
      return { method, path, lastUsedAt }
    }),
    addresses: latest(use?.addresses).map(([address, lastUsedAt]) => ({ address, lastUsedAt })),
  }
}
