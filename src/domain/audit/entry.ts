import type { Actor } from '../actor.ts'
import { isId } from '../ids.ts'
import type { ListWindow } from '../pagination.ts'
import { AUDIT_ACTIONS } from './actions.ts'

/**
 * Names and values that a company may see; never a secret. `before` and `after` hold the former and the new values of a
 * change, by field.
 */
export type AuditDetails = Readonly<Record<string, unknown>>

/** An entry of the audit, with the names of the actor and of the object, if they have names. */
export type AuditRecord = {
  readonly number: number
  readonly at: Date
  readonly actor: Actor
  readonly actorName: string | null
  /** One of AUDIT_ACTIONS, unless another release wrote the row. */
  readonly action: string
  readonly targetId: string
  readonly targetName: string | null
  readonly details: AuditDetails
}

/** The filter of a list. An absent field restricts nothing. */
export type AuditFilter = ListWindow & {
  /** The id of a user or of a key, or one of ACTORS. */
  readonly actor?: string | undefined
  readonly action?: string | undefined
  readonly target?: string | undefined
}

/** Actors that are neither users nor keys. */
const ACTORS: Readonly<Record<string, string>> = {
  cli: 'The operator',
  temporal: 'Somebody in Temporal',
  system: 'The service',
}

/** Whether a text may be the actor of an entry. */
export const isActorId = (text: string): boolean =>
  Object.hasOwn(ACTORS, text) || isId('user', text) || isId('apiKey', text)

const objectIn = (details: AuditDetails, name: 'before' | 'after'): AuditDetails => {
  const value = details[name]
  return typeof value === 'object' && value !== null ? (value as AuditDetails) : {}
}

/** The changes of an entry, field by field. Leaves out a field if the entry does not have its former value. */
export function changesOf(details: AuditDetails) {
  const [before, after] = [objectIn(details, 'before'), objectIn(details, 'after')]
  return Object.keys(before).map((field) => ({
    field,
    before: before[field] ?? null,
    after: after[field] ?? null,
  }))
}

/** The longest value that an entry keeps, in characters. The entry must fit into its column. */
const LONGEST_VALUE = 500

/** The details of a change: the former and the new values of the fields that differ. */
export function changeDetails(before: AuditDetails, after: AuditDetails): AuditDetails {
  const changed = Object.keys(after).filter((field) => textOf(before[field]) !== textOf(after[field]))
  const only = (values: AuditDetails) =>
    Object.fromEntries(changed.map((field) => [field, shortened(values[field] ?? null)]))
  return { before: only(before), after: only(after) }
}

/** The details without values that are too long for an entry. */
export const keptDetails = (details: AuditDetails): AuditDetails =>
  Object.fromEntries(Object.entries(details).map(([name, value]) => [name, shortened(value)]))

function shortened(value: unknown): unknown {
  const { length } = textOf(value)
  return length > LONGEST_VALUE ? `(${length} characters)` : value
}

/** A value of the details, as text that people can read. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null)

/** A row of another release may have an action that is not in the table. */
const WORDS: Readonly<Record<string, string | undefined>> = AUDIT_ACTIONS

/** The longest summary, in characters. Longer ones are cut, because the details have the rest. */
const LONGEST_SUMMARY = 500

/** The entry as a sentence: `Ann changed the API key “CRM”: name CRM → ERP`. */
export function summaryOf({ actor, actorName, action, targetId, targetName, details }: AuditRecord): string {
  const who = actorName ?? ACTORS[actor.id] ?? actor.id
  const target = targetName === null ? targetId : `“${targetName}”`
  // A function, because `$&` in the name would have a special meaning in a replacement text.
  const did = (WORDS[action] ?? `${action} {target}`).replace('{target}', () => target)
  const changes = changesOf(details).map(
    ({ field, before, after }) => `${worded(field)} ${textOf(before)} → ${textOf(after)}`,
  )
  const facts = Object.entries(details)
    .filter(([name]) => !['before', 'after', 'fields'].includes(name))
    .map(([name, value]) => `${worded(name)} ${textOf(value)}`)
  const said = [...changes, ...untold(details), ...facts].join(', ')
  const sentence = said === '' ? `${who} ${did}` : `${who} ${did}: ${said}`
  return sentence.length > LONGEST_SUMMARY ? `${sentence.slice(0, LONGEST_SUMMARY - 1)}…` : sentence
}

/** The names of changed fields whose values the audit does not have. */
const untold = ({ fields, before }: AuditDetails): string[] =>
  (Array.isArray(fields) ? fields : [])
    .filter((field) => !Object.hasOwn(before ?? {}, String(field)))
    .map((field) => worded(String(field)))

/** `is_active` and `isActive` -> `is active`. */
const worded = (name: string): string =>
  name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
