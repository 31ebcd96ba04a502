import type { Delivery } from '../common/api/wire.ts'
import type { Query } from '../common/api/transport.ts'
import { searchQuery } from '../common/filters/search.ts'
import { texts } from './texts.ts'

/** The type of test events. The catalog lacks it, because nobody can subscribe to test events. */
export const TEST_EVENT = 'test.webhook'

/** The filters of a list of deliveries, as the address has them. Empty text: no filter. */
export type DeliveryFilters = {
  readonly status: string
  readonly event_type: string
  readonly response: string
  /** The text to search for. */
  readonly q: string
  /** The time span, as the value of a choice in SPANS. */
  readonly within: string
  /** Created from this time on, and before the other one: ISO 8601. They apply if `within` is OWN_TIMES. */
  readonly after: string
  readonly before: string
}

const FILTER_NAMES = ['q', 'status', 'event_type', 'response', 'within', 'after', 'before'] as const

/** The time span whose limits the reader chooses. */
export const OWN_TIMES = 'own'

const HOUR_MS = 3_600_000

/** The time spans, in the order of the choices. */
const SPANS_MS: ReadonlyMap<string, number> = new Map([
  ['1h', HOUR_MS],
  ['24h', 24 * HOUR_MS],
  ['7d', 7 * 24 * HOUR_MS],
  ['30d', 30 * 24 * HOUR_MS],
])

export const SPANS = [
  { value: '', label: texts.anyTime },
  { value: '1h', label: texts.lastHour },
  { value: '24h', label: texts.last24Hours },
  { value: '7d', label: texts.last7Days },
  { value: '30d', label: texts.last30Days },
  { value: OWN_TIMES, label: texts.ownTimes },
]

/** The deliveries that the figure «waiting» counts: the open ones. */
export const WAITING = 'pending,retrying'

/** The deliveries that have not arrived, whether they wait or failed for good. */
export const NOT_ARRIVED = 'pending,retrying,failed'

/** The part of a list's address that shows these states only, such as NOT_ARRIVED. */
export const statusQuery = (status: string): string => `status=${encodeURIComponent(status)}`

export const STATUSES: readonly {
  readonly value: '' | Delivery['status'] | typeof NOT_ARRIVED | typeof WAITING
  readonly label: string
}[] = [
  { value: '', label: texts.allStates },
  { value: NOT_ARRIVED, label: texts.notArrived },
  { value: WAITING, label: texts.waiting },
  { value: 'failed', label: texts.failed },
  { value: 'retrying', label: texts.retrying },
  { value: 'pending', label: texts.pending },
  { value: 'success', label: texts.delivered },
]

export const RESPONSES = [
  { value: '', label: texts.allResponses },
  { value: '2xx', label: '2xx' },
  { value: '3xx', label: '3xx' },
  { value: '4xx', label: '4xx' },
  { value: '5xx', label: '5xx' },
  { value: 'none', label: texts.noResponse },
]

export const readFilters = (get: (name: string) => string): DeliveryFilters => ({
  status: get('status'),
  event_type: get('event_type'),
  response: get('response'),
  q: get('q'),
  within: get('within'),
  after: get('after'),
  before: get('before'),
})

export const isFiltered = (filters: DeliveryFilters): boolean =>
  FILTER_NAMES.some((name) => filters[name] !== '')

/**
 * The query of the list. It asks for no payloads, because only the page of a delivery shows them.
 *
 * @param now the end of a time span
 */
export function toQuery({ q, within, after, before, ...filters }: DeliveryFilters, now: Date): Query {
  return {
    ...filters,
    ...searchQuery(q),
    payload: 'false',
    ...windowOf({ within, after, before }, now),
  }
}

/** The limits of the chosen time, for the query of a list. */
export function windowOf(
  { within, after, before }: Pick<DeliveryFilters, 'within' | 'after' | 'before'>,
  now: Date,
): { readonly created_after?: string; readonly created_before?: string } {
  if (within === OWN_TIMES) return { created_after: after, created_before: before }
  const spanMs = SPANS_MS.get(within)
  return spanMs === undefined ? {} : { created_after: new Date(now.getTime() - spanMs).toISOString() }
}

/** The filters that are set, as the query of an address. */
export const savedQuery = (get: (name: string) => string): string =>
  new URLSearchParams(
    FILTER_NAMES.map((name): [string, string] => [name, get(name)]).filter(([, value]) => value !== ''),
  ).toString()

/** Replaces the current filters by saved ones. The tab of the page stays. */
export const chosenFilters = (query: string, tab: string): Record<string, string> => ({
  ...(tab && { tab }),
  ...Object.fromEntries(new URLSearchParams(query)),
})
