import Joi from 'joi'
import {
  TEST_EVENT_TYPE,
  type EventContext,
  PUBLISHER_TYPES,
  PUBLISH_WAYS,
} from '../../domain/event/event.ts'
import { eventContextFields } from '../../domain/event/fields.ts'
import { REACH_REASONS } from '../../domain/event/reach.ts'
import { EVENT_TYPES, isEventType, type EventType } from '../../domain/event/catalog.ts'
import { eventType } from '../../domain/fields/rules.ts'
import type { WantedTest } from '../../operations/delivery/test-event.ts'
import type { Examples } from '../routing/route.ts'
import { CLIENT_EVENT_ID } from '../../domain/ids.ts'
import { MAXIMUM_PAGE_SIZE } from '../../domain/pagination.ts'
import { all, count, objectOf, time, word, wordOrNull } from './answer-fields.ts'
import { deliverySchema, recordFields } from './webhooks.ts'

/** One request publishes at most this many events. */
export const MAXIMUM_BATCH = 100

export type NewEvent = EventContext & {
  readonly id?: string
  readonly event: EventType
  readonly data: object
}

const newEvent = Joi.object<NewEvent>({
  id: Joi.string()
    .pattern(CLIENT_EVENT_ID)
    .messages({
      'string.pattern.base':
        '{{#label}} must be evt_ and 1 to 64 letters, digits, _ or -, and not begin with evt_test_',
    })
    .description('Chosen by you, unique for your company and environment: repeats of it publish nothing.'),
  event: eventType('{{#label}} is the unknown event type {{#shown}}')
    .required()
    .description('Webhooks that subscribe to it receive the event.'),
  subject: eventContextFields.subject,
  revision: eventContextFields.revision,
  data: Joi.object().unknown(true).required().description('What the event tells; sent as it is.'),
  previous: eventContextFields.previous,
}).id('EventInput')

const newEventBatch = Joi.object<{ events: NewEvent[] }>({
  events: Joi.array()
    .items(newEvent)
    .min(1)
    .max(MAXIMUM_BATCH)
    .unique('id', { ignoreUndefined: true })
    .messages({ 'array.unique': '{{#label}} repeats the id of another event of the batch' })
    .required()
    .description('All of them are published, or none. No id twice.'),
}).id('EventBatchInput')

/** One event, or a batch under `events`. */
export const publishBody = Joi.alternatives()
  .conditional(Joi.object({ events: Joi.exist() }).unknown(true), {
    then: newEventBatch,
    otherwise: newEvent,
  })
  .id('PublishInput') as unknown as Joi.Schema<NewEvent | { readonly events: readonly NewEvent[] }>

/**
 * Whether a body is one event that has only a known type and a `data` object. Nearly all bodies are like this. The
 * schema would accept such a body unchanged, but would take longer than all other checks together.
 */
export function isPlainEvent(body: unknown): body is NewEvent {
  const { event, data, ...others } = body as Partial<NewEvent>
  return isEventType(event) && isPlainObject(data) && Object.keys(others).length === 0
}

const isPlainObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The content of a test event. `{}` is the test event of the specification. */
export const testEventBody = Joi.object<Partial<WantedTest>>({
  event: eventType('{{#label}} is the unknown event type {{#shown}}').description(
    'The type that it plays. Without it the test event is of type test.webhook.',
  ),
  data: Joi.object()
    .unknown(true)
    .description(
      "Its data in place of the catalog's example; it then has the subject, revision and previous that are given here.",
    ),
  ...eventContextFields,
})
  .with('data', 'event')
  .with('subject', 'data')
  .with('revision', 'data')
  .with('previous', 'data')
  .meta({
    jsonSchema: {
      dependentRequired: { data: ['event'], subject: ['data'], revision: ['data'], previous: ['data'] },
    },
  })
  .id('TestEventInput')

/** Example bodies that publish, for the OpenAPI document. */
export const PUBLISH_EXAMPLES: Examples = {
  'One event': { event: 'contact.created', data: { id: '17', name: 'Example Contact' } },
  'One event with an id of your own': {
    id: 'evt_import-2026-01-15-17',
    event: 'contact.updated',
    data: { id: '17', name: 'Example Contact' },
  },
  'A change of a subject of your own': {
    event: 'deal.stage_changed',
    subject: '4',
    revision: 3,
    data: { id: '4', stage: 'won' },
    previous: { stage: 'negotiation' },
  },
  'A batch': {
    events: [
      { event: 'contact.updated', data: { id: '17', name: 'Example Contact' } },
      { event: 'deal.stage_changed', data: { id: '4', stage: 'won' } },
    ],
  },
}

export const publishedEventSchema = objectOf({
  id: word,
  event: Joi.valid(...EVENT_TYPES),
  created_at: time,
  deliveries: count.min(0).description('Webhooks it is delivered to.'),
}).id('PublishedEvent')

const event = {
  id: word,
  event: Joi.valid(...EVENT_TYPES, TEST_EVENT_TYPE),
  created_at: time,
  ...recordFields,
}
const payload = Joi.object().unknown(true).description('The event envelope as it is sent.')

export const eventSchema = objectOf({
  ...event,
  deliveries: count.min(0).description('How many deliveries it made.'),
  payload: payload.optional(),
}).id('Event')

export const eventDetailSchema = objectOf({
  ...event,
  payload,
  published_by: objectOf({
    type: Joi.valid(...PUBLISHER_TYPES),
    id: wordOrNull.description('The key, or the user of the console; null: cli.'),
    name: wordOrNull.description('Its name now.'),
    via: Joi.valid(...PUBLISH_WAYS).description(
      'event: published as such; record: by a change of a record; test: a test event.',
    ),
  })
    .id('Publisher')
    .allow(null)
    .description('null: it is not known, as of events that an earlier release published.'),
  deliveries: Joi.array()
    .items(deliverySchema)
    .max(MAXIMUM_PAGE_SIZE)
    .description(
      'Its latest deliveries, newest first, without payload; GET /api-v1-deliveries?event_id=… lists all.',
    ),
  webhooks: Joi.array()
    .items(
      objectOf({
        webhook_id: word,
        delivery_id: wordOrNull.description('Its first delivery to the webhook; null: there is none.'),
        reason: Joi.valid(...REACH_REASONS).description(
          'sent_by_hand: it made no delivery when it happened, and somebody sent it later. inactive: the webhook was inactive then, or its deactivation came at that moment. type_not_subscribed and filter ' +
            'go by the settings of now: where these would let the event through, they were others then, and it says which of them changed.',
        ),
      }).id('EventReach'),
    )
    .max(1_000)
    .description(
      'The webhooks that were there when it happened and still are, newest first. Of a test event, and of one that is older than ' +
        'the retention, only those that it went to.',
    ),
}).id('EventDetail')

export const eventTypeSchema = objectOf({
  name: Joi.valid(...EVENT_TYPES),
  ...all(word, 'family', 'description'),
  example: Joi.object().unknown(true).description('The body that an endpoint receives.'),
  schema_url: Joi.string().uri().description('The JSON Schema of that body; it needs no key.'),
}).id('EventType')
