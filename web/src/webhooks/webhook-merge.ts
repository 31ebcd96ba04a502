import type { Webhook, WebhookChange } from '../common/api/wire.ts'
import { isObject } from '../common/format/is-object.ts'
import { texts } from './texts.ts'

export type Field = keyof WebhookChange

/** The settings that forms edit, with their names for people. */
export const FIELDS: readonly (readonly [field: Field, name: string])[] = [
  ['name', texts.name],
  ['description', texts.description],
  ['url', texts.url],
  ['events', texts.events],
  ['headers', texts.headers],
  ['max_retries', texts.retries],
  ['retry_schedule', texts.retrySchedule],
  ['filter', texts.filter],
  ['send_traceparent', texts.sendTraceparent],
  ['is_active', texts.active],
]

/** What is absent in an answer is off, or not set. */
const settingOf = (webhook: Webhook, field: Field): unknown =>
  webhook[field] ?? (field === 'send_traceparent' ? false : null)

/** Equal as the API sees it: the order of events and headers means nothing. */
const isSame = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b)

function canonical(value: unknown): string {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string'))
    return JSON.stringify(value.toSorted())
  if (isObject(value)) return JSON.stringify(Object.entries(value).sort(([a], [b]) => a.localeCompare(b)))
  return JSON.stringify(value)
}

/** Only what the form changed, so that a change by somebody else to another field stays. */
export function changesTo(base: Webhook, form: Required<WebhookChange>): WebhookChange {
  const changed = FIELDS.filter(([field]) => !isSame(settingOf(base, field), form[field]))
  return Object.fromEntries(changed.map(([field]) => [field, form[field]]))
}

/** A field that somebody else changed while the form was open. */
export type Difference = {
  readonly field: Field
  readonly name: string
  readonly theirs: unknown
  /** What the form has; absent where the form did not touch the field. */
  readonly mine?: unknown
}

/** Whether a header gets a value where theirs is hidden: nobody can tell whether they changed it too. */
const mayReplaceTheirs = ({ headers = {} }: WebhookChange, theirs: Webhook): boolean =>
  Object.entries(headers).some(([name, value]) => value !== null && theirs.headers[name] === null)

/**
 * Compares what somebody else saved meanwhile with what the form would save.
 *
 * @param base the webhook as the form began with it
 * @param mine the fields that the form changed
 * @param theirs the webhook as it is now
 */
export const differences = (base: Webhook, mine: WebhookChange, theirs: Webhook): readonly Difference[] =>
  FIELDS.filter(
    ([field]) =>
      !isSame(settingOf(base, field), settingOf(theirs, field)) ||
      (field === 'headers' && mayReplaceTheirs(mine, theirs)),
  )
    .filter(([field]) => !(field in mine) || !isSame(mine[field], settingOf(theirs, field)))
    .map(([field, name]) => ({
      field,
      name,
      theirs: settingOf(theirs, field),
      ...(field in mine && { mine: mine[field] }),
    }))

/** The form's changes without those for which the other's value was chosen. */
export const withoutFields = (mine: WebhookChange, dropped: readonly Field[]): WebhookChange =>
  Object.fromEntries(Object.entries(mine).filter(([field]) => !dropped.includes(field as Field)))

/** Without its value, which is often a credential. */
const headerText = ([name, value]: [string, unknown]): string =>
  value === null ? name : texts.newValueOf({ name })

/** A setting as one line for a comparison. */
export function settingText(value: unknown, field?: Field): string {
  if (value === null || value === undefined || value === '') return texts.noValue
  if (field === 'filter') return JSON.stringify(value)
  if (Array.isArray(value)) return value.join(', ')
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? texts.yes : texts.no
  if (typeof value === 'object') return Object.entries(value).map(headerText).join(', ') || texts.noValue
  return JSON.stringify(value)
}
