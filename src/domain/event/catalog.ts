import { createEvent, type EventContent } from './event.ts'

/** An event type of the catalog. Webhooks can subscribe to it. */
export type CatalogEntry = {
  readonly name: EventType
  /**
   * The kind of record that the event is about, such as `contact`. On the wire and in the specification (Events) it is
   * called `family`.
   */
  readonly entity: string
  readonly description: string
  /** The body that an endpoint receives. */
  readonly example: Readonly<Record<string, unknown>>
}

/** Spec, Events: the 13 types that a webhook can subscribe to, each with one line that says what happened. */
const DESCRIPTIONS = {
  'contact.created': 'A contact was created.',
  'contact.updated': 'A field of a contact changed.',
  'contact.deleted': 'A contact was deleted; the data is the contact just before its deletion.',
  'organization.created': 'An organization was created.',
  'organization.updated': 'A field of an organization changed.',
  'organization.deleted':
    'An organization was deleted; the data is the organization just before its deletion.',
  'deal.created': 'A deal was created.',
  'deal.updated': 'A field of a deal other than its stage changed.',
  'deal.stage_changed': 'The stage of a deal changed.',
  'deal.deleted': 'A deal was deleted; the data is the deal just before its deletion.',
  'activity.created': 'A call, email, meeting or note was recorded.',
  'task.created': 'A task was created.',
  'task.completed': 'A task was completed.',
} as const

export type EventType = keyof typeof DESCRIPTIONS

/** All event types, in the order of the specification. */
export const EVENT_TYPES = Object.keys(DESCRIPTIONS) as readonly EventType[]

const TYPES: ReadonlySet<unknown> = new Set(EVENT_TYPES)

/** Whether the text is one of the subscribable types; `test.webhook` is not. */
export const isEventType = (text: unknown): text is EventType => TYPES.has(text)

/** The entity that an event is about: `contact.created` -> `contact`. */
export const entityOf = (type: EventType): string => type.slice(0, type.indexOf('.'))

const CREATED_AT = '2026-01-15T09:30:00.000Z'
const UPDATED_AT = '2026-01-16T14:05:00.000Z'
const UUID = '3f2b8c1e-5d4a-4c6b-9e7f-0a1b2c3d4e5f'

/** An example record of each entity. It has the fields that presenters/events shows, but no revision and no times. */
const RECORDS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  contact: {
    id: `con_${UUID}`,
    name: 'Example Contact',
    email: 'contact@example.com',
    phone: null,
    custom: {},
  },
  organization: { id: `org_${UUID}`, name: 'Example Organization', domain: 'example.com', custom: {} },
  deal: {
    id: `deal_${UUID}`,
    name: 'Example Deal',
    stage: 'negotiation',
    amount: 12500,
    currency: 'EUR',
    custom: {},
  },
  activity: { id: `act_${UUID}`, type: 'call', subject: 'Example call', body: null, custom: {} },
  task: {
    id: `task_${UUID}`,
    name: 'Example task',
    due_at: '2026-01-20T12:00:00.000Z',
    completed: false,
    custom: {},
  },
}

/** The former values in the example of a change. */
const PREVIOUS: Partial<Readonly<Record<EventType, object>>> = {
  'contact.updated': { email: 'former@example.com' },
  'organization.updated': { domain: 'example.org' },
  'deal.updated': { amount: 10000 },
  'deal.stage_changed': { stage: 'new' },
  'task.completed': { completed: false },
}

/** When the example of a type happened. */
const timeOf = (type: EventType): string => (type.endsWith('.created') ? CREATED_AT : UPDATED_AT)

/**
 * The content of a type's example. The examples of an entity tell of one record: revision 1 is its creation, 2 a
 * change, and 3 its deletion.
 */
export function exampleContent(type: EventType): EventContent {
  const isCreation = type.endsWith('.created')
  const revision = isCreation ? 1 : 2
  const record = RECORDS[entityOf(type)] ?? {}
  return {
    type,
    subject: String(record['id']),
    revision: type.endsWith('.deleted') ? revision + 1 : revision,
    data: {
      ...record,
      ...(type === 'task.completed' && { completed: true }),
      revision,
      created_at: CREATED_AT,
      updated_at: timeOf(type),
    },
    previous: PREVIOUS[type],
  }
}

/** Every subscribable type with its meaning and an example. */
export const EVENT_CATALOG: readonly CatalogEntry[] = EVENT_TYPES.map((name) => {
  const { body } = createEvent({ id: `evt_${UUID}`, now: new Date(timeOf(name)), ...exampleContent(name) })
  const example = JSON.parse(body.toString()) as CatalogEntry['example']
  return { name, entity: entityOf(name), description: DESCRIPTIONS[name], example }
})
