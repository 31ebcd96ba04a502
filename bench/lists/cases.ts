/** A request for a list, and how many records its answer must have. */
export type Case = { readonly name: string; readonly path: string; readonly records: number }
/** `name`: as the table shows it; '' is the list without a filter. */
type Filter = readonly [name: string, query: string, records?: number]

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
  const ofAll: Filter[] = [
    ['', ''],
    ['from the middle', before],
  ]
  const ofDeliveries: Filter[] = [
    ...ofAll,
    ['status=pending,retrying,failed', 'status=pending,retrying,failed'],
    ['response=5xx from the middle', `response=5xx&${before}`],
    ['response=4xx, which fits none', 'response=4xx', 0],
    ['event_id', `event_id=${eventId}`, 1],
    ['payload=false', 'payload=false'],
  ]
  const ofEvents: Filter[] = [...ofAll, ['a type that fits none', 'event_type=deal.created', 0]]
  const ofNotices: Filter[] = [
    ...ofAll,
    ['one of ten', 'kind=webhook_failing'],
    ['a kind that fits none', 'kind=webhook_gone', 0],
  ]
  const casesOf = (title: string, list: string, filters: readonly Filter[]): Case[] =>
    filters.map(([name, query, records = LIMIT]) => ({
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
