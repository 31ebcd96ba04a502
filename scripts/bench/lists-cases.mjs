import { URLSearchParams } from 'node:url'
import { checkPlans, statementsOf } from './lists-plans.mjs'

/** @typedef {{ name: string, path: string, records: number }} Case what is asked for, and how many records come */
/** @typedef {{ companyId: string, webhookId: string, eventId: string, middle: Date }} Filled `middle`: half are older */

const LIMIT = 50

/** Pages of the deliveries of one webhook. */
const PAGES = ['', 'status=success', 'status=failed', 'status=failed,retrying'].flatMap((filter) =>
  [1, 100].map((page) => ({ filter, page, name: `page ${page}${filter && `, ${filter}`}` })),
)

/** @param {string} webhookId @returns {Case[]} */
export const pageCases = (webhookId) =>
  PAGES.map(({ filter, page, name }) => ({
    name,
    path: `/api-v1-webhooks/${webhookId}/deliveries?page=${page}&${filter}`,
    records: LIMIT,
  }))

/** Filters of lists by cursor, and how many records they give on a page. */
const filtersOf = (/** @type {Filled} */ { eventId, middle }) => {
  const before = `created_before=${middle.toISOString()}`
  return [
    { query: '', records: LIMIT },
    { query: before, name: 'from the middle', records: LIMIT },
    { query: 'status=pending,retrying,failed', records: LIMIT },
    { query: `response=5xx&${before}`, name: 'response=5xx from the middle', records: LIMIT },
    { query: 'response=4xx', name: 'response=4xx, which fits none', records: 0 },
    { query: `event_id=${eventId}`, name: 'event_id', records: 1 },
    { query: 'payload=false', records: LIMIT },
  ]
}

/** Filters of the list of events. */
const eventFiltersOf = (/** @type {Filled} */ { middle }) => [
  { query: '', records: LIMIT },
  { query: `created_before=${middle.toISOString()}`, name: 'from the middle', records: LIMIT },
  { query: 'event_type=deal.created', name: 'a type that fits none', records: 0 },
]

/** Filters of the list of notices. */
const noticeFiltersOf = (/** @type {Filled} */ { middle }) => [
  { query: '', records: LIMIT },
  { query: `created_before=${middle.toISOString()}`, name: 'from the middle', records: LIMIT },
  { query: 'kind=webhook_failing', name: 'one of ten', records: LIMIT },
  { query: 'kind=webhook_gone', name: 'a kind that fits none', records: 0 },
]

/** @param {Filled} filled @returns {Case[]} lists by cursor */
export function cursorCases(filled) {
  const caseOf = (/** @type {string} */ title, /** @type {string} */ list) => {
    return (
      /** @type {{ query: string, name?: string, records: number }} */ { query, name = query, records },
    ) => ({
      name: `${title}${name && `, ${name}`}`,
      path: `${list}?cursor=&${query}`,
      records,
    })
  }
  return [
    ...filtersOf(filled).map(caseOf('all', '/api-v1-deliveries')),
    ...filtersOf(filled).map(caseOf('webhook', `/api-v1-webhooks/${filled.webhookId}/deliveries`)),
    ...eventFiltersOf(filled).map(caseOf('events', '/api-v1-events')),
    ...noticeFiltersOf(filled).map(caseOf('notices', '/api-v1-notices')),
  ]
}

/**
 * Prints and checks the plan of every statement that the lists send.
 *
 * @param {import('knex').Knex} db
 * @param {Filled} filled
 */
export async function showListPlans(db, filled) {
  const { listDeliveries } = await import('../../src/db/delivery/lists.ts')
  const tenant = { companyId: filled.companyId, environment: /** @type {const} */ ('live') }
  for (const { filter, page, name } of PAGES) {
    const statuses = /** @type {never} */ (filter.split('=')[1]?.split(','))
    const work = () => listDeliveries(db, tenant, filled.webhookId, { limit: LIMIT, page, statuses })
    await checkPlans(db, `The statements of ${name}`, await statementsOf(db, work), {
      byIndexAlone: 'deliveries',
    })
  }
  await showCursorPlans(db, tenant, filled)
}

/** @param {import('knex').Knex} db @param {{ companyId: string, environment: 'live' }} tenant @param {Filled} filled */
async function showCursorPlans(db, tenant, filled) {
  const { listEventDeliveries, listOverviews } = await import('../../src/operations/delivery/overview.ts')
  const { getEvent, listEvents } = await import('../../src/operations/event/read.ts')
  const { listNotices } = await import('../../src/operations/notice/read.ts')
  const { deliveryListQuery, eventListQuery, filterOf, noticeListQuery, partOf, startOf } =
    await import('../../src/api/schemas/lists.ts')
  const read = (/** @type {import('joi').ObjectSchema} */ schema, /** @type {string} */ query) =>
    schema.validate(Object.fromEntries(new URLSearchParams(query)), { convert: false }).value
  const show = async (/** @type {string} */ what, /** @type {() => Promise<unknown>} */ work) =>
    checkPlans(db, `The statements of ${what}`, await statementsOf(db, work))
  for (const { query } of filtersOf(filled)) {
    const request = read(deliveryListQuery, query)
    for (const [title, scope] of Object.entries({
      all: { tenants: [tenant] },
      webhook: { tenants: [tenant], webhookId: filled.webhookId },
    })) {
      await show(`${title}, ${query}`, () =>
        listOverviews({ db }, scope, { ...partOf(request), filter: filterOf(request) }),
      )
    }
  }
  for (const { query } of eventFiltersOf(filled)) {
    const request = read(eventListQuery, query)
    const { eventType, createdAfter, createdBefore } = filterOf(request)
    const filter = { eventType, createdAfter, createdBefore }
    await show(`events, ${query}`, () =>
      listEvents({ db }, tenant, { ...partOf(request), filter }, () => Promise.resolve()),
    )
  }
  for (const { query } of noticeFiltersOf(filled)) {
    const request = read(noticeListQuery, query)
    const { createdAfter, createdBefore } = filterOf(request)
    const filter = { kinds: request.kind, createdAfter, createdBefore }
    await show(`notices, ${query}`, () => listNotices({ db }, [tenant], { ...startOf(request), filter }))
  }
  await show('one event', async () => {
    await getEvent({ db }, tenant, filled.eventId)
    await listEventDeliveries({ db }, tenant, filled.eventId)
  })
}
