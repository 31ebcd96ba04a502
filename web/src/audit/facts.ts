import type { AuditEntry } from '../common/api/wire.ts'
import { texts } from './texts.ts'

/** One fact of an entry: the value of a field, and the former value if it changed. */
export type AuditFact = {
  readonly field: string
  readonly label: string
  readonly after: unknown
  readonly before?: unknown
}

/** Fields that are left out, because the sentence or the rows around it say the same. */
const SAID = ['before', 'after', 'fields', 'name', 'prefix', 'heir_prefix']

/** The fields that the closed line shows, in this order. */
const IN_SHORT = [
  'grace',
  'replaces',
  'expires_at',
  'reason',
  'role',
  'scopes',
  'ip_allowlist',
  'email',
  'kind',
  'target',
  'since',
  'until',
]

/** The most facts and changes in the closed line. */
const MOST_IN_SHORT = 3

/** Everything that an entry says beyond its sentence: first the changes, then the other facts. */
export function factsOf({ changes, details }: AuditEntry): readonly AuditFact[] {
  const changed = changes.map(({ field, before, after }) => ({ field, label: labelOf(field), before, after }))
  const untold = (Array.isArray(details['fields']) ? details['fields'] : [])
    .map(String)
    .filter((field) => !changes.some((change) => change.field === field))
    .map((field) => ({ field, label: labelOf(field), after: texts.changed }))
  const others = Object.entries(details)
    .filter(([field]) => !SAID.includes(field))
    .map(([field, after]) => ({ field, label: labelOf(field), after }))
  return [...changed, ...untold, ...others]
}

/** The facts that the closed line shows. `isAll`: whether there are no others. */
export function inShort(entry: AuditEntry): {
  readonly facts: readonly AuditFact[]
  readonly isAll: boolean
} {
  const all = factsOf(entry)
  const rank = ({ field, before }: AuditFact) => (before === undefined ? IN_SHORT.indexOf(field) : -1)
  const facts = all
    .filter((fact) => 'before' in fact || fact.after === texts.changed || IN_SHORT.includes(fact.field))
    .sort((one, other) => rank(one) - rank(other))
    .slice(0, MOST_IN_SHORT)
  return { facts, isAll: facts.length === all.length }
}

const LABELS: Readonly<Record<string, string | undefined>> = texts.fields

/**
 * `ip_allowlist` becomes `allowlist`. A field that this release does not know is shown by its name, with blanks for
 * underscores.
 */
const labelOf = (field: string): string => LABELS[field] ?? field.replaceAll('_', ' ')

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

export const isMoment = (value: unknown): value is string => typeof value === 'string' && MOMENT.test(value)

const ID = /^[a-z]+_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const isAnId = (value: unknown): value is string => typeof value === 'string' && ID.test(value)

const WORDS: Readonly<Record<string, string | undefined>> = texts.values

const NOTHING: Readonly<Record<string, string | undefined>> = texts.nothing

/** Fields whose values are terms of the API. */
const CODES = ['kind', 'reason', 'status', 'second_factor']

/** A value in words. A missing value is `never` or `any address`, depending on the field. A list is shown as its entries. */
export function valueInWords(field: string, value: unknown): string {
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0))
    return NOTHING[field] ?? texts.none
  if (typeof value === 'boolean') return value ? texts.yes : texts.no
  if (Array.isArray(value)) return value.map((each) => valueInWords(field, each)).join(', ')
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (field === 'grace') return text.replace(/^(\d+)([hd])$/, '$1 $2')
  return WORDS[text] ?? (CODES.includes(field) ? text.replaceAll('_', ' ') : text)
}
