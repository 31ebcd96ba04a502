import type { ApiKey } from './key.ts'
import { grants, isScope, SCOPES, type Scope } from './scopes.ts'
import { textFault } from '../fields/storable.ts'
import { invalid } from '../errors.ts'

const NAME_LENGTH = 255
const DESCRIPTION_LENGTH = 2_000

/** Checks a name: 1 to 255 characters, all of which the database can store. @throws ApiError VALIDATION_ERROR */
export const checkName = (name: string): string => checkText('name', name, NAME_LENGTH)

/** A description of at most 2,000 characters; blank text and null mean none. @throws ApiError VALIDATION_ERROR */
export const checkDescription = (description: string | null): string | null =>
  description === null || description.trim() === ''
    ? null
    : checkText('description', description, DESCRIPTION_LENGTH)

function checkText(field: string, text: string, maximum: number): string {
  const fault = textFault(text, maximum)
  if (fault === undefined) return text
  throw invalid(`"${field}" ${fault}.`)
}

/**
 * Checks a list of scopes: at least one, and each from the table of scopes. Repeats are dropped.
 *
 * @throws ApiError VALIDATION_ERROR that names the text that is not a scope
 */
export function checkScopes(scopes: readonly string[]): Scope[] {
  const unknown = scopes.find((scope) => !isScope(scope))
  if (unknown !== undefined) {
    const shown = JSON.stringify(unknown.slice(0, 100))
    throw invalid(`${shown} is not a scope. The scopes are ${SCOPES.join(', ')}.`)
  }
  if (scopes.length === 0) throw invalid('A key needs at least one scope.')
  // Stryker disable next-line MethodExpression: all are scopes, as was checked; this is for the compiler
  return [...new Set(scopes)].filter(isScope)
}

type Changed = Partial<Pick<ApiKey, 'scopes' | 'ipAllowlist' | 'isActive' | 'expiresAt'>>

/**
 * Whether a change lets a key do more: it adds a scope or an address, makes the key expire later or never, or enables it
 * again. The user must have entered the password recently for such a change.
 */
export function widens(key: ApiKey, change: Changed): boolean {
  const { scopes, ipAllowlist, isActive, expiresAt } = { ...key, ...change }
  return (
    scopes.some((scope) => isScope(scope) && !grants(key.scopes, scope)) ||
    permitsMore(key.ipAllowlist, ipAllowlist) ||
    (isActive && !key.isActive) ||
    endsLater(key.expiresAt, expiresAt)
  )
}

/** An empty list permits every address. A new entry counts as permitting more, even if it lies within an old entry. */
const permitsMore = (before: readonly string[], after: readonly string[]): boolean =>
  before.length > 0 && (after.length === 0 || after.some((entry) => !before.includes(entry)))

const endsLater = (before: Date | null, after: Date | null): boolean =>
  before !== null && (after === null || after > before)
