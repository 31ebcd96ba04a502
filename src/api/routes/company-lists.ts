import type { Deps } from '../../deps/deps.ts'
import { listEventDeliveries, listOverviews } from '../../operations/delivery/overview.ts'
import { presentListedDelivery } from '../../presenters/deliveries.ts'
import { presentCursorPage } from '../../presenters/pagination.ts'
import { defineRoute, type AnyRoute } from '../routing/route.ts'
import { dataOf, HOW_TO_GO_ON, HOW_TO_SEARCH, searchedListOf } from '../schemas/common.ts'
import { deliveryListQuery, eventFilterOf, eventListQuery, filterOf, partOf } from '../schemas/lists.ts'
import { deliverySchema } from '../schemas/webhooks.ts'
import { readReach, getEvent, listEvents, readPublisher } from '../../operations/event/read.ts'
import { presentEventDetail, presentListedEvent } from '../../presenters/events.ts'
import { eventDetailSchema, eventSchema } from '../schemas/events.ts'

/** Lists the deliveries of all webhooks. */
export function deliveryListRoutes(deps: Deps): AnyRoute[] {
  const list = defineRoute('GET', '/api-v1-deliveries', {
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
  return [list]
}

/** The events that were published, and where each of them went. */
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
      return { body: { data: presentEventDetail(event, publisher, shown, reach) } }
    },
  })

  return [list, get]
}
