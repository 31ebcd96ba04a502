/** Spec, Events: the 13 types a webhook can subscribe to. */
export const EVENT_TYPES = [
  'contact.created',
  'contact.updated',
  'contact.deleted',
  'organization.created',
  'organization.updated',
  'organization.deleted',
  'deal.created',
  'deal.updated',
  'deal.stage_changed',
  'deal.deleted',
  'activity.created',
  'task.created',
  'task.completed',
] as const

export type EventType = (typeof EVENT_TYPES)[number]

const TYPES: ReadonlySet<unknown> = new Set(EVENT_TYPES)

/** Whether the text is one of the subscribable types; `test.webhook` is not. */
export const isEventType = (text: unknown): text is EventType => TYPES.has(text)

/** The entity that an event is about: `contact.created` -> `contact`. */
export const entityOf = (type: EventType): string => type.slice(0, type.indexOf('.'))
