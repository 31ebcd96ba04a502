import Joi from 'joi'
import type { Deps } from '../../deps/deps.ts'
import { EVENT_CATALOG, entityOf, isEventType } from '../../domain/event/catalog.ts'
import { writeScopeOf } from '../../domain/event/resources.ts'
import type { Scope } from '../../domain/key/scopes.ts'
import type { PublishedEvent } from '../../operations/event/repeats.ts'
import { publishEvents, type EventInput } from '../../operations/event/publish.ts'
import type { PublishQuota } from '../../operations/minute-limits.ts'
import type { SharedPublishes } from '../../operations/event/shared-publishes.ts'
import { presentEventType, presentPublishedEvent } from '../../presenters/events.ts'
import { schemaPath } from '../openapi/event-schemas.ts'
import { defineRoute, withData, type Answer, type AnyRoute } from '../routing/route.ts'
import { dataOf } from '../schemas/common.ts'
import {
  eventTypeSchema,
  isPlainEvent,
  publishBody,
  PUBLISH_EXAMPLES,
  publishedEventSchema,
  type NewEvent,
} from '../schemas/events.ts'

const published = dataOf(
  Joi.alternatives()
    .try(publishedEventSchema, Joi.array().items(publishedEventSchema))
    .id('Published')
    .required(),
)

/** The parts that all publishes of a process share. */
export type Publishing = { readonly shared: SharedPublishes; readonly quota: PublishQuota }

/** Lists the event types, and publishes the caller's own events. */
export function eventRoutes(deps: Deps, publishing: Publishing): AnyRoute[] {
  const listTypes = defineRoute('GET', '/api-v1-event-types', {
    cost: 'cheap',
    scope: 'read:webhooks',
    operationId: 'listEventTypes',
    summary: 'List the event types a webhook can subscribe to',
    answers: { 200: { description: 'Every type.', schema: dataOf(Joi.array().items(eventTypeSchema)) } },
    handle: () => {
      const urlOf = (type: string) => `${deps.config.publicUrl}${schemaPath(type)}`
      const data = EVENT_CATALOG.map((entry) => presentEventType(entry, urlOf(entry.name)))
      return withData(data)
    },
  })

  const publish = defineRoute('POST', '/api-v1-events', {
    cost: 'bulk',
    scope: 'any-write',
    scopesOf: scopesOfEvents,
    operationId: 'publishEvents',
    summary: 'Publish one event or a batch of at most 100',
    description:
      'An `id` of your own makes a repeat harmless: it answers the first result and delivers nothing; another body under it is a 409.',
    body: publishBody,
    isPlainBody: isPlainEvent,
    examples: PUBLISH_EXAMPLES,
    answers: {
      201: { description: 'Published; an array for a batch.', schema: published },
      200: {
        description: 'Published before under the same ids; nothing is delivered again.',
        schema: published,
      },
    },
    handle: ({ caller: { tenant, actor }, body, answerOnce, traceparent }) => {
      const isBatch = 'events' in body
      const inputs = (isBatch ? body.events : [body]).map(toInput)
      return answerOnce(isBatch ? batchAnswer : eventAnswer, (kept) =>
        publishEvents(deps, tenant, inputs, { ...publishing, actor, kept, traceparent }),
      )
    },
  })

  return [listTypes, publish]
}

const batchAnswer = (events: readonly PublishedEvent[]): Answer => ({
  status: events.some(({ isNew }) => isNew) ? 201 : 200,
  body: { data: events.map(presentPublishedEvent) },
})

const eventAnswer = ([event]: readonly PublishedEvent[]): Answer => ({
  status: event?.isNew ? 201 : 200,
  body: { data: event && presentPublishedEvent(event) },
})

const toInput = ({ event, ...content }: NewEvent): EventInput => ({ ...content, type: event })

/** The write scopes for the event types in a body. Unknown types need none, because the check of the fields refuses them. */
function scopesOfEvents(body: unknown): Scope[] {
  const { event, events } = body as { event?: unknown; events?: unknown }
  const listed = Array.isArray(events) ? events.map((item: { event?: unknown } | null) => item?.event) : []
  const scopes = [event, ...listed].filter(isEventType).map((type) => writeScopeOf(entityOf(type)))
  return [...new Set(scopes.filter((scope) => scope !== undefined))]
}
