import type { Deps } from '../../deps/deps.ts'
import { listEventDeliveries } from '../../operations/delivery/overview.ts'
import { getEvent, listEvents } from '../../operations/event/read.ts'
import { presentListedDelivery } from '../../presenters/deliveries.ts'
import { presentEventDetail, presentListedEvent } from '../../presenters/events.ts'
import { presentCursorPage } from '../../presenters/pagination.ts'
import { defineRoute, type AnyRoute } from '../routing/route.ts'
import { cursorListOf, dataOf, HOW_TO_GO_ON } from '../schemas/common.ts'
import { eventDetailSchema, eventSchema } from '../schemas/events.ts'
import { eventListQuery, partOf } from '../schemas/lists.ts'

/** The events that were published, and where each of them went. */
export function eventListRoutes(deps: Deps): AnyRoute[] {
  const list = defineRoute({
    method: 'GET',
    cost: 'list',
    path: '/api-v1-events',
    scope: 'read:webhooks',
    operationId: 'listEvents',
    summary: 'List events by cursor',
    description: `${HOW_TO_GO_ON} Test events are among them. Shows payloads of every family.`,
    query: eventListQuery,
    answers: {
      200: { description: 'A part of the events, newest first.', schema: cursorListOf(eventSchema) },
    },
    handle: async ({ caller: { tenant }, query, makeRoom }) => {
      const { event_type: eventType, created_after: createdAfter, created_before: createdBefore } = query
      const request = { ...partOf(query), filter: { eventType, createdAfter, createdBefore } }
      return {
        body: presentCursorPage(await listEvents(deps, tenant, request, makeRoom), presentListedEvent),
      }
    },
  })

  const get = defineRoute({
    method: 'GET',
    cost: 'cheap',
    path: '/api-v1-events/:id',
    scope: 'read:webhooks',
    operationId: 'getEvent',
    summary: 'Get one event with its payload and its deliveries',
    target: ({ caller, params }) => getEvent(deps, caller.tenant, params['id'] ?? ''),
    answers: {
      200: {
        description: 'The event and its latest 100 deliveries; GET /api-v1-deliveries?event_id=… lists all.',
        schema: dataOf(eventDetailSchema),
      },
    },
    handle: async ({ caller: { tenant }, target: event }) => {
      const deliveries = await listEventDeliveries(deps, tenant, event.id)
      return { body: { data: presentEventDetail(event, deliveries.map(presentListedDelivery)) } }
    },
  })

  return [list, get]
}
