import { MINUTE_MS } from '../instants.ts'
import { KEEP_USAGE_MS, type DayCounts } from './usage.ts'

/** The most routes, and the most addresses, that are kept for a key: the latest ones. */
const MOST_KEPT = 20

/** The longest address: an IPv4 address mapped into IPv6. */
const ADDRESS_LENGTH = 45

const MINUTES_KEPT = 60

/** What a key was recently used for. All maps have a limited size, whatever callers send. */
export type RecentUse = {
  /** The time of the latest response (ms since 1970) by route, that is, method and pattern: `GET /api-v1-webhooks/:id`. */
  readonly endpoints: Map<string, number>
  /** The time of the latest request (ms since 1970) by address. */
  readonly addresses: Map<string, number>
  /** Requests by minute, counted from 1970. The keys are texts, because the database stores the map as JSON. */
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

/** The use of a key by one request. At its beginning the address is known, at its end the route (`endpoint`). */
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
 * Adds to the sum, in place. Of two times the later one stays, and requests of the same minute are added. After that the
 * sum has at most MOST_KEPT routes, MOST_KEPT addresses and MINUTES_KEPT minutes, the latest of them.
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

/** Adds one name. This takes constant time, or time linear in MOST_KEPT if the oldest name must be removed. */
function addLatest(sum: Map<string, number>, added: ReadonlyMap<string, number>): void {
  const timeOf = (name: string) => sum.get(name) ?? 0
  for (const [name, atMs] of added) {
    sum.set(name, Math.max(timeOf(name), atMs))
    if (sum.size > MOST_KEPT) sum.delete(lowest(sum.keys(), timeOf))
  }
}

/** The name with the lowest value; of several, the first. */
function lowest(names: Iterable<string>, valueOf: (name: string) => number): string {
  let found = ''
  let least = Infinity
  for (const name of names) {
    const value = valueOf(name)
    if (value < least) [found, least] = [name, value]
  }
  return found
}

/** What a key was used for: 30 days, oldest first, and the latest routes and addresses, the latest first. */
export type KeyRecentUse = ReturnType<typeof summariseRecentUse> & {
  readonly daily: readonly (DayCounts & { readonly date: string })[]
}

/** The recent use to show. Routes and addresses that were last used more than KEEP_USAGE_MS ago are left out. */
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
