/** What is asked for, and how many records come. */
export type Case = { readonly name: string; readonly path: string; readonly records: number }
type Filter = { readonly query: string; readonly name?: string; readonly records: number }

const LIMIT = 50

/** Pages of the deliveries of one webhook. */
export const pageCases = (webhookId: string): Case[] =>
  ['', 'status=success', 'status=failed', 'status=failed,retrying'].flatMap((filter) =>
    [1, 100].map((page) => ({
      name: `page ${page}${filter && `, ${filter}`}`,
      path: `/api-v1-webhooks/${webhookId}/deliveries?page=${page}&${filter}`,
      records: LIMIT,
    })),
  )

/** Lists by cursor, with their filters. @param middle half of the deliveries are older */
export function cursorCases(webhookId: string, eventId: string, middle: Date): Case[] {
  const before = `created_before=${middle.toISOString()}`
  const all = { query: '', records: LIMIT }
  const fromMiddle = { query: before, name: 'from the middle', records: LIMIT }
  const ofDeliveries: Filter[] = [
    all,
    fromMiddle,
    { query: 'status=pending,retrying,failed', records: LIMIT },
    { query: `response=5xx&${before}`, name: 'response=5xx from the middle', records: LIMIT },
    { query: 'response=4xx', name: 'response=4xx, which fits none', records: 0 },
    { query: `event_id=${eventId}`, name: 'event_id', records: 1 },
    { query: 'payload=false', records: LIMIT },
  ]
  const ofEvents: Filter[] = [
    all,
    fromMiddle,
    { query: 'event_type=deal.created', name: 'a type that fits none', records: 0 },
  ]
  const ofNotices: Filter[] = [
    all,
    fromMiddle,
    { query: 'kind=webhook_failing', name: 'one of ten', records: LIMIT },
    { query: 'kind=webhook_gone', name: 'a kind that fits none', records: 0 },
  ]
  const casesOf = (title: string, list: string, filters: readonly Filter[]): Case[] =>
    filters.map(({ query, name = query, records }) => ({
      name: `${title}${name && `, ${name}`}`,
      path: `${list}?cursor=&${query}`,
      records,
    }))
  return [
    ...casesOf('all', '/api-v1-deliveries', ofDeliveries),
    ...casesOf('webhook', `/api-v1-webhooks/${webhookId}/deliveries`, ofDeliveries),
    ...casesOf('events', '/api-v1-events', ofEvents),
    ...casesOf('notices', '/api-v1-notices', ofNotices),
  ]
}
