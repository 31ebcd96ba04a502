import type { Deps } from '../../deps/deps.ts'
import { ApiError } from '../../domain/errors.ts'
import { feedCursor, readFeedPlace } from '../../domain/event/feed.ts'
import { listAudit } from '../../operations/audit.ts'
import { listEventDeliveries, listOverviews } from '../../operations/delivery/overview.ts'
import type { Feed } from '../../operations/event/feed.ts'
import { getEvent, listEvents, readPublisher, readReach } from '../../operations/event/read.ts'
import { listNotices } from '../../operations/notice/read.ts'
import { presentAuditRecord } from '../../presenters/audit.ts'
import { presentListedDelivery } from '../../presenters/deliveries.ts'
import { presentEventDetail, presentFeedPart, presentListedEvent } from '../../presenters/events.ts'
import { presentNotice } from '../../presenters/notices.ts'
import { presentCursorPage } from '../../presenters/pagination.ts'
import { defineRoute, withData, type AnyRoute } from '../routing/route.ts'
import { auditFilterOf, auditListQuery, auditRecordSchema } from '../schemas/audit.ts'
import { cursorListOf, dataOf, HOW_TO_GO_ON, HOW_TO_SEARCH, searchedListOf } from '../schemas/common.ts'
import { eventDetailSchema, eventSchema } from '../schemas/events.ts'
import {
  deliveryListQuery,
  eventFilterOf,
  eventListQuery,
  feedQuery,
  filterOf,
  noticeListQuery,
  partOf,
  startOf,
  windowOf,
} from '../schemas/lists.ts'
import { noticeSchema } from '../schemas/notices.ts'
import { deliverySchema } from '../schemas/webhooks.ts'

/** Lists the deliveries of all webhooks. */
export const deliveryListRoute = (deps: Deps): AnyRoute =>
  defineRoute('GET', '/api-v1-deliveries', {
    cost: 'list',
    searchCost: 'report',
    scope: 'read:webhooks',
    operationId: 'listAllDeliveries',
    summary: 'List the deliveries of all webhooks by cursor',
    description: `${HOW_TO_GO_ON} ${HOW_TO_SEARCH} Those of deleted webhooks are left out. Shows payloads of every family.`,
    query: deliveryListQuery,
    answers: {
      200: { description: 'A part of the deliveries, newest first.', schema: searchedListOf(deliverySchema) },
    },
    handle: async ({ caller: { tenant }, query, makeRoom }) => {
      const request = { ...partOf(query), filter: filterOf(query) }
      const page = await listOverviews(deps, { tenants: [tenant] }, request, makeRoom)
      return { body: presentCursorPage(page, presentListedDelivery) }
    },
  })

/** The published events, and the deliveries of each. */
export function eventListRoutes(deps: Deps): AnyRoute[] {
  const list = defineRoute('GET', '/api-v1-events', {
    cost: 'list',
    searchCost: 'report',
    scope: 'read:webhooks',
    operationId: 'listEvents',
    summary: 'List events by cursor',
    description: `${HOW_TO_GO_ON} ${HOW_TO_SEARCH} Test events are among them. It goes by the time when an event was made, so an event may appear behind newer ones: GET /api-v1-events/feed misses none. Shows payloads of every family.`,
    query: eventListQuery,
    answers: {
      200: { description: 'A part of the events, newest first.', schema: searchedListOf(eventSchema) },
    },
    handle: async ({ caller: { tenant }, query, makeRoom }) => {
      const request = { ...partOf(query), filter: eventFilterOf(query) }
      return {
        body: presentCursorPage(await listEvents(deps, tenant, request, makeRoom), presentListedEvent),
      }
    },
  })

  const get = defineRoute('GET', '/api-v1-events/:id', {
    cost: 'list',
    scope: 'read:webhooks',
    operationId: 'getEvent',
    summary:
      'Get one event: its payload, who published it, its deliveries, and why each webhook got it or not',
    target: ({ caller, params }) => getEvent(deps, caller.tenant, params['id'] ?? ''),
    answers: {
      200: {
        description: 'The event and its latest 100 deliveries; GET /api-v1-deliveries?event_id=… lists all.',
        schema: dataOf(eventDetailSchema),
      },
    },
    handle: async ({ caller: { tenant }, target: event }) => {
      const deliveries = await listEventDeliveries(deps, tenant, event.id)
      const reach = await readReach(deps, tenant, event)
      const publisher = await readPublisher(deps, tenant, event)
      const shown = deliveries.map(presentListedDelivery)
      return withData(presentEventDetail(event, publisher, shown, reach))
    },
  })

  return [list, get]
}

/** The events of a tenant in the order of their commits, for clients that must not miss an event. */
export const feedRoute = (feed: Feed): AnyRoute =>
  defineRoute('GET', '/api-v1-events/feed', {
    cost: 'feed',
    scope: 'read:webhooks',
    operationId: 'followEvents',
    summary: 'Follow events without missing one',
    description:
      'Oldest first, without gaps and without repeats: keep `next_cursor`, which is never null, and send it as `after`. With `wait`, a request that finds no event is answered when one is published, or after that many seconds; 5 requests of a key may wait, and a further one is answered at once. With `types` a part may be empty although `has_more` is true. Test events are not in the feed. Shows payloads of every family.',
    query: feedQuery,
    refusals: [410],
    answers: {
      200: { description: 'The next events; none when nothing new came.', schema: cursorListOf(eventSchema) },
    },
    handle: async ({ caller: { id, tenant }, query, makeRoom, recheck, onGone }) => {
      const { after, limit, types, wait } = query
      const from = readFeedPlace(tenant, after)
      const request = { from, limit, types, keyId: id, waitMs: wait * 1_000, makeRoom, recheck, onGone }
      const part = await feed.follow(tenant, request)
      return { body: presentFeedPart(part, limit, feedCursor(tenant, part.place)) }
    },
  })

/** The notices about the company's webhooks and keys. */
export const noticeListRoute = (deps: Deps): AnyRoute =>
  defineRoute('GET', '/api-v1-notices', {
    cost: 'list',
    scope: 'read:webhooks',
    operationId: 'listNotices',
    summary:
      'List notices by cursor: webhooks that fail or were deactivated, deliveries that failed, keys that expire',
    description: `${HOW_TO_GO_ON} Notices of a deleted webhook stay; their webhook is 404.`,
    query: noticeListQuery,
    answers: {
      200: { description: 'A part of the notices, newest first.', schema: cursorListOf(noticeSchema) },
    },
    handle: async ({ caller: { tenant }, query }) => {
      const request = { ...startOf(query), filter: { kinds: query.kind, ...windowOf(query) } }
      return { body: presentCursorPage(await listNotices(deps, [tenant], request), presentNotice) }
    },
  })

/** The audit: who changed what in the company. */
export const auditListRoute = (deps: Deps): AnyRoute =>
  defineRoute('GET', '/api-v1-audit', {
    cost: 'report',
    scope: 'read:all',
    operationId: 'listAudit',
    summary: 'List by cursor who changed what in the company, when and from where',
    description: `${HOW_TO_GO_ON} The audit is the company's, of both environments together, so a key of the sandbox gets a 403.`,
    query: auditListQuery,
    answers: {
      200: { description: 'A part of the entries, newest first.', schema: cursorListOf(auditRecordSchema) },
    },
    handle: async ({ caller: { tenant }, query }) => {
      if (tenant.environment !== 'live') throw liveKeysOnly()
      const request = { ...startOf(query), filter: auditFilterOf(query) }
      return { body: presentCursorPage(await listAudit(deps, tenant.companyId, request), presentAuditRecord) }
    },
  })

/** A `test` key may see only what test keys wrote. The entries of the audit have no environment. */
const liveKeysOnly = () =>
  new ApiError(
    'INSUFFICIENT_PERMISSIONS',
    'The audit is of both environments: only a live key reads it, with the scope read:all or admin:all.',
  )
