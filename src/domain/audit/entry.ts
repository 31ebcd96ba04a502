import type { Actor } from '../actor.ts'
import { isId } from '../ids.ts'
import type { ListWindow } from '../pagination.ts'
import { AUDIT_ACTIONS } from './actions.ts'

/** Names and values that a company may see; never a secret. `before` and `after` hold the values that a change changed, by field. */
export type AuditDetails = Readonly<Record<string, unknown>>

/** An entry of the audit, with the names of who did it and of what it was done to, as far as they have any. */
export type AuditRecord = {
  readonly number: number
  readonly at: Date
  readonly actor: Actor
  readonly actorName: string | null
  /** One of AUDIT_ACTIONS; a row that another release wrote may have another one. */
  readonly action: string
  readonly targetId: string
  readonly targetName: string | null
  readonly details: AuditDetails
}

/** Which entries a list shows; absent: all. */
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

/** What an entry changed, field by field; without the fields whose former values it does not tell. */
export function changesOf(details: AuditDetails) {
  const [before, after] = [objectIn(details, 'before'), objectIn(details, 'after')]
  return Object.keys(before).map((field) => ({
    field,
    before: before[field] ?? null,
    after: after[field] ?? null,
  }))
}

/** The longest value that is kept, in characters: an entry has to fit its column. */
const LONGEST_VALUE = 500

/** The details of a change: what the changed fields were, and what they are. Values that are equal are left out. */
export function changeDetails(before: AuditDetails, after: AuditDetails): AuditDetails {
  const changed = Object.keys(after).filter((field) => textOf(before[field]) !== textOf(after[field]))
  const only = (values: AuditDetails) =>
    Object.fromEntries(changed.map((field) => [field, shortened(values[field] ?? null)]))
  return { before: only(before), after: only(after) }
}

/** Details, without the values that are too long for an entry. */
export const keptDetails = (details: AuditDetails): AuditDetails =>
  Object.fromEntries(Object.entries(details).map(([name, value]) => [name, shortened(value)]))

function shortened(value: unknown): unknown {
  const { length } = textOf(value)
  return length > LONGEST_VALUE ? `(${length} characters)` : value
}

/** A value of the details for people. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null)

/** Rows of other releases may have other actions. */
const WORDS: Readonly<Record<string, string | undefined>> = AUDIT_ACTIONS

/** In characters. Longer summaries are cut: the details have the rest. */
const LONGEST_SUMMARY = 500

/** Who did what, in a sentence: `Ann changed the API key “CRM”: name CRM → ERP`. */
export function summaryOf({ actor, actorName, action, targetId, targetName, details }: AuditRecord): string {
  const who = actorName ?? ACTORS[actor.id] ?? actor.id
  const target = targetName === null ? targetId : `“${targetName}”`
  // A function, because the name may hold $&.
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

/** Changed fields whose values the audit does not have, in words. */
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
