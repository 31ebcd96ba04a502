import type { EventType } from './catalog.ts'
import type { Entity } from '../ids.ts'
import type { Family } from '../key/scopes.ts'

/** The families whose changes publish events: all families of the scopes except webhooks. */
export type ResourceFamily = Exclude<Family, 'webhooks'>

/** The fields of a record as they are on the wire, in the order of the family's description. */
export type Fields = Readonly<Record<string, unknown>>

/** A record of one of the families. */
export type ResourceRecord = {
  readonly id: string
  readonly family: ResourceFamily
  readonly fields: Fields
  /** 1 at creation, and 1 more with every change. */
  readonly revision: number
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** A record as lists read it. Its fields stay the stored JSON text, because lists use them only as a whole. */
export type ListedRecord = Pick<ResourceRecord, 'id' | 'revision' | 'createdAt' | 'updatedAt'> & {
  readonly fieldsJson: Buffer
}

/** Everything about a family except the rules of its fields, which are in fields.ts. */
export type FamilyDescription = {
  /** Names the path (`/api-v1-contacts`) and the scopes (`read:contacts`). */
  readonly family: ResourceFamily
  /** Names one record, its id prefix and its event types: `contact`. */
  readonly entity: Entity & ('contact' | 'organization' | 'deal' | 'activity' | 'task')
  /** Every field, with the value that it gets if a creation leaves it out; `undefined` for a required field. */
  readonly fields: Fields
  /** Whether records can be changed and deleted. Activities can only be created. */
  readonly isChangeable: boolean
  /** The events of a change: `before` is undefined for a creation, `after` for a deletion. */
  readonly events: (before: Fields | undefined, after: Fields | undefined) => readonly EventType[]
}

/** All families of records. */
export const RESOURCE_FAMILIES: Readonly<Record<ResourceFamily, FamilyDescription>> = {
  organizations: {
    family: 'organizations',
    entity: 'organization',
    fields: { name: undefined, domain: null, custom: {} },
    isChangeable: true,
    events: (before, after) => lifecycle('organization', before, after),
  },
  contacts: {
    family: 'contacts',
    entity: 'contact',
    fields: { name: undefined, email: null, phone: null, custom: {} },
    isChangeable: true,
    events: (before, after) => lifecycle('contact', before, after),
  },
  deals: {
    family: 'deals',
    entity: 'deal',
    fields: { name: undefined, stage: 'new', amount: null, currency: null, custom: {} },
    isChangeable: true,
    events: dealEvents,
  },
  activities: {
    family: 'activities',
    entity: 'activity',
    fields: { type: undefined, subject: undefined, body: null, custom: {} },
    isChangeable: false,
    events: (before) => (before ? [] : ['activity.created']),
  },
  tasks: {
    family: 'tasks',
    entity: 'task',
    fields: { name: undefined, due_at: null, completed: false, custom: {} },
    isChangeable: true,
    events: taskEvents,
  },
}

/** The fields of a new record: the given ones, and the defaults of the others. */
export const newFields = ({ fields }: FamilyDescription, given: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, absent]) => [name, given[name] ?? absent]))

/** The fields after a change. Only the given fields differ. */
export const mergeFields = ({ fields }: FamilyDescription, before: Fields, given: Fields): Fields =>
  Object.fromEntries(
    Object.keys(fields).map((name) => [name, given[name] === undefined ? before[name] : given[name]]),
  )

/** The names of the fields whose values differ. The values are JSON, so it is enough to compare their texts. */
export const changedFields = (before: Fields, after: Fields): string[] =>
  Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))

/**
 * The values that all changed fields had before a change, for the event that reports the change. `task.completed` has
 * only the former `completed`, because no event reports other changes of a task.
 */
export function formerValues(type: EventType, before: Fields, after: Fields): Fields {
  const names = type === 'task.completed' ? ['completed'] : changedFields(before, after)
  return Object.fromEntries(names.map((name) => [name, before[name]]))
}

/** `contact` -> `Contact`, for messages and names of schemas. */
export const titleOf = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

/** `contact` -> `write:contacts`: the scope that a key needs to publish events of the entity. */
export const writeScopeOf = (entity: string): `write:${ResourceFamily}` | undefined => {
  const description = Object.values(RESOURCE_FAMILIES).find((family) => family.entity === entity)
  return description && `write:${description.family}`
}

/** If a change leaves all fields as they were, it publishes nothing. */
function lifecycle(
  entity: 'contact' | 'organization' | 'deal',
  before: Fields | undefined,
  after: Fields | undefined,
): EventType[] {
  if (!before) return [`${entity}.created`]
  if (!after) return [`${entity}.deleted`]
  return changedFields(before, after).length > 0 ? [`${entity}.updated`] : []
}

/** A deal publishes `stage_changed` when `stage` changes, and `updated` when any other field changes. */
function dealEvents(before: Fields | undefined, after: Fields | undefined): EventType[] {
  if (!before || !after) return lifecycle('deal', before, after)
  const changed = changedFields(before, after)
  const events: EventType[] = changed.some((name) => name !== 'stage') ? ['deal.updated'] : []
  return changed.includes('stage') ? [...events, 'deal.stage_changed'] : events
}

/** A task publishes `created`, and `completed` whenever its field `completed` becomes true. */
function taskEvents(before: Fields | undefined, after: Fields | undefined): EventType[] {
  const events: EventType[] = before ? [] : ['task.created']
  const isCompletion = after?.['completed'] === true && before?.['completed'] !== true
  return isCompletion ? [...events, 'task.completed'] : events
}
