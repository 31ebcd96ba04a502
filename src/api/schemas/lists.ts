import Joi from 'joi'
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../domain/delivery/delivery.ts'
import { RESPONSE_CLASSES, type DeliveryFilter, type ResponseClass } from '../../domain/delivery/lists.ts'
import { TEST_EVENT_TYPE } from '../../domain/event/event.ts'
import { EVENT_TYPES } from '../../domain/event/catalog.ts'
import { EVENT_ID, isId } from '../../domain/ids.ts'
import { searchFields } from '../../domain/search.ts'
import { endsBeforeItBegins, type PageRequest } from '../../domain/pagination.ts'
import { TENANT_NOTICES, type NoticeKind } from '../../domain/notice/notice.ts'
import { booleanQuery, date, limitQuery, oneOf, pageQuery } from './common.ts'

/** The query of a list by cursor, after validation. */
export type CursorQuery = {
  readonly limit: number
  /** Empty or absent: the first page. */
  readonly cursor?: string
  readonly created_after?: Date
  readonly created_before?: Date
}

export type NoticeListQuery = CursorQuery & { readonly kind?: readonly NoticeKind[] }

type EventListQuery = CursorQuery & {
  readonly event_type?: string
  readonly q?: string
  readonly record?: string
  readonly payload: boolean
}

type DeliveryListQuery = EventListQuery & {
  readonly status?: readonly DeliveryStatus[]
  readonly event_id?: string
  readonly delivery_id?: string
  readonly response?: ResponseClass
}

type WebhookDeliveriesQuery = DeliveryListQuery & { readonly page?: number }

/** One of the choices, or several of them separated by commas. */
const severalOf = (choices: readonly string[], description: string) =>
  Joi.string()
    .custom((value: string, helpers) => {
      const given = value.split(',')
      return given.every((each) => choices.includes(each))
        ? choices.filter((choice) => given.includes(choice))
        : helpers.message({
            custom: `{{#label}} must be one or more of ${choices.join(', ')}, with commas between`,
          })
    })
    .meta({
      openapi: { type: 'array', items: { type: 'string', enum: choices }, minItems: 1, description },
    })

const CURSOR_LENGTH = 300

/** The query fields of every list by cursor. */
export const cursorFields = {
  limit: limitQuery(),
  cursor: Joi.string()
    .allow('')
    .max(CURSOR_LENGTH)
    .meta({
      openapi: {
        type: 'string',
        maxLength: CURSOR_LENGTH,
        description:
          'next_cursor of the page before, with the same filters; none, or empty, for the first page.',
      },
    }),
  created_after: date().description('Only those created at this time or later: ISO 8601 with its zone.'),
  created_before: date().description('Only those created before this time: ISO 8601 with its zone.'),
}

const eventFields = {
  ...cursorFields,
  event_type: Joi.string()
    .valid(...EVENT_TYPES, TEST_EVENT_TYPE)
    .description('Only those of this event type.'),
  q: searchFields.q.description(
    'Only those with this text in the payload, and for deliveries in the latest answer or the URL; or with this id. ASCII letters in either case.',
  ),
  record: searchFields.record.description(
    'Only those of events about this record: its `subject`, or without one the `id` in its data, exactly.',
  ),
  payload: booleanQuery('false leaves payloads out.').default(true),
}

const deliveryFields = {
  ...eventFields,
  status: severalOf(DELIVERY_STATUSES, 'Only those in this state: one, or several with commas between.'),
  event_id: Joi.string()
    .pattern(EVENT_ID)
    .messages({ 'string.pattern.base': '{{#label}} must be the id of an event, evt_…' })
    .description('Only those of this event.'),
  delivery_id: Joi.string()
    .custom((value: string, helpers) =>
      isId('delivery', value)
        ? value
        : helpers.message({ custom: '{{#label}} must be the id of a delivery, del_…' }),
    )
    .meta({ jsonSchema: { pattern: '^del_[0-9a-f-]{36}$' } })
    .description('Only this delivery.'),
  response: oneOf(RESPONSE_CLASSES).description(
    'Only those whose latest attempt was answered like this; 5xx: 500 and above; none: the endpoint was not reached, or no attempt was made yet.',
  ),
}

/** Refuses `page`, and says what to send instead. */
const noPage = Joi.any().forbidden().messages({
  'any.unknown':
    '"page" is not possible here: leave it out, and send next_cursor of the page before as cursor to go on',
})

/** The time window in a query, with the names that our code uses. */
export const windowOf = ({
  created_after: createdAfter,
  created_before: createdBefore,
}: Pick<CursorQuery, 'created_after' | 'created_before'>) => ({ createdAfter, createdBefore })

const checkWindow: Joi.CustomValidator<CursorQuery> = (query, helpers) =>
  endsBeforeItBegins(windowOf(query))
    ? helpers.message({
        custom: '"created_before" is earlier than "created_after": exchange them, or leave one out',
      })
    : query

/** The query of GET /api-v1-webhooks. */
export const webhookListQuery = Joi.object<PageRequest & { is_active?: boolean; q?: string }>({
  limit: limitQuery(),
  page: pageQuery('Page number, from 1.', 1),
  is_active: booleanQuery('Only those that are active, or only those that are not.'),
  q: Joi.string()
    .allow('')
    .max(255)
    .description('Only those whose name or URL has this text, in whatever case.'),
})

/** The query of a list by cursor. It refuses `page`. */
export const withoutPages = <Query>(keys: Readonly<Record<string, Joi.Schema>>): Joi.ObjectSchema<Query> =>
  Joi.object({ ...keys, page: noPage }).custom(checkWindow) as Joi.ObjectSchema<Query>

/** The query of GET /api-v1-deliveries. */
export const deliveryListQuery = withoutPages<DeliveryListQuery>(deliveryFields)

/** The query of GET /api-v1-events. */
export const eventListQuery = withoutPages<EventListQuery>(eventFields)

type FeedQuery = {
  readonly limit: number
  readonly after: string
  readonly types?: readonly string[]
  /** How long to wait for events, in seconds. */
  readonly wait: number
}

/** The query of GET /api-v1-events/feed. */
export const feedQuery = Joi.object<FeedQuery>({
  limit: limitQuery(),
  after: Joi.string()
    .max(CURSOR_LENGTH)
    .default('start')
    .description('next_cursor of an answer; start: the oldest event left; end: the latest one.'),
  types: severalOf(EVENT_TYPES, 'Only events of this type: one, or several with commas between.'),
  wait: Joi.string()
    .pattern(/^(?:\d|[12]\d|30)$/)
    .messages({ 'string.pattern.base': '{{#label}} must be a whole number from 0 to 30' })
    .custom(Number)
    .default(0)
    .meta({
      openapi: {
        type: 'integer',
        minimum: 0,
        maximum: 30,
        default: 0,
        description: 'Seconds to wait for an event when there is none.',
      },
    }),
})

/** The query of GET /api-v1-notices. */
export const noticeListQuery = withoutPages<NoticeListQuery>({
  ...cursorFields,
  kind: severalOf(TENANT_NOTICES, 'Only those of this kind: one, or several with commas between.'),
})

/** Fields that a numbered page does not accept, because its total comes from counters, which cannot apply these filters. */
const CURSOR_ONLY = [
  ...(['cursor', 'event_type', 'event_id', 'delivery_id', 'response', 'q', 'record'] as const),
  ...(['created_after', 'created_before'] as const),
]

const cursorOnlyOf = (query: WebhookDeliveriesQuery) =>
  CURSOR_ONLY.filter((name) => query[name] !== undefined)

/** Whether a query asks for a webhook's deliveries by cursor instead of by page. */
export const isByCursor = (query: WebhookDeliveriesQuery): boolean => cursorOnlyOf(query).length > 0

const checkPage: Joi.CustomValidator<WebhookDeliveriesQuery> = (query, helpers) =>
  query.page !== undefined && isByCursor(query)
    ? helpers.message({
        custom: `"page" goes with limit, status and payload alone, not with ${cursorOnlyOf(query).join(', ')}: leave page out to list by cursor`,
      })
    : query

/** The query of GET /api-v1-webhooks/:id/deliveries: a numbered page, or a part by cursor. */
export const webhookDeliveriesQuery = Joi.object<WebhookDeliveriesQuery>()
  .keys({
    ...deliveryFields,
    page: pageQuery('Page number, from 1. Goes with limit, status and payload alone.'),
  })
  .custom(checkPage)
  .custom(checkWindow)

/** The filter of deliveries in a query. */
export const filterOf = (query: DeliveryListQuery): DeliveryFilter => ({
  ...eventFilterOf(query),
  statuses: query.status,
  eventId: query.event_id,
  deliveryId: query.delivery_id,
  response: query.response,
})

/** The filter of events in a query. */
export const eventFilterOf = (query: EventListQuery) => ({
  eventType: query.event_type,
  text: query.q,
  record: query.record,
  ...windowOf(query),
})

/** Limit and cursor of a query. An empty cursor counts as none. */
export const startOf = ({ limit, cursor }: CursorQuery) => ({
  limit,
  cursor: cursor === '' ? undefined : cursor,
})

/** Like startOf, and says whether the list shows payloads. */
export const partOf = (query: EventListQuery) => ({ ...startOf(query), withPayload: query.payload })
