import type { Webhook, WebhookChange } from '../common/api/wire.ts'
import { isObject } from '../common/format/is-object.ts'
import { texts } from './texts.ts'
import { bodyOf, formOf } from './webhook-form.ts'

export type Field = keyof WebhookChange

/** The settings that forms edit. */
export const FIELDS = Object.keys(texts.fields) as readonly Field[]

/** The settings of a webhook, with a value for each setting that an answer leaves out because it is off or not set. */
const settingsOf = (webhook: Webhook): Required<WebhookChange> => bodyOf(formOf(webhook))

/** Whether the API treats two values as equal. The order of events and of headers has no meaning. */
const isSame = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b)

function canonical(value: unknown): string {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string'))
    return JSON.stringify(value.toSorted())
  if (isObject(value)) return JSON.stringify(Object.entries(value).sort(([a], [b]) => a.localeCompare(b)))
  return JSON.stringify(value)
}

/** Only the settings that the form changed, so that changes by others to other settings stay. */
export function changesTo(base: Webhook, form: Required<WebhookChange>): WebhookChange {
  const settings = settingsOf(base)
  const changed = FIELDS.filter((field) => !isSame(settings[field], form[field]))
  return Object.fromEntries(changed.map((field) => [field, form[field]]))
}

/** A setting that somebody else changed while the form was open. */
export type Difference = {
  readonly field: Field
  readonly name: string
  readonly theirs: unknown
  /** The form's value. Absent if the form did not change the setting. */
  readonly mine?: unknown
}

/** Whether the form sets a header whose stored value is hidden. Then nobody can tell whether the others changed it too. */
const mayReplaceTheirs = ({ headers = {} }: WebhookChange, theirs: Webhook): boolean =>
  Object.entries(headers).some(([name, value]) => value !== null && theirs.headers[name] === null)

/**
 * Compares what somebody else saved with what the form would save.
 *
 * @param base the webhook when the form was opened
 * @param mine the settings that the form changed
 * @param theirs the webhook now
 */
export function differences(base: Webhook, mine: WebhookChange, theirs: Webhook): readonly Difference[] {
  const [before, now] = [settingsOf(base), settingsOf(theirs)]
  return FIELDS.filter(
    (field) => !isSame(before[field], now[field]) || (field === 'headers' && mayReplaceTheirs(mine, theirs)),
  )
    .filter((field) => !(field in mine) || !isSame(mine[field], now[field]))
    .map((field) => ({
      field,
      name: texts.fields[field],
      theirs: now[field],
      ...(field in mine && { mine: mine[field] }),
    }))
}

/** The form's changes, without those for which the user chose the other value. */
export const withoutFields = (mine: WebhookChange, dropped: readonly Field[]): WebhookChange =>
  Object.fromEntries(Object.entries(mine).filter(([field]) => !dropped.includes(field as Field)))

/** A header without its value, which is often a credential. */
const headerText = ([name, value]: [string, unknown]): string =>
  value === null ? name : texts.newValueOf({ name })

/** A setting on one line, for comparison. */
export function settingText(value: unknown, field?: Field): string {
  if (value === null || value === undefined || value === '') return texts.noValue
  if (field === 'filter') return JSON.stringify(value)
  if (Array.isArray(value)) return value.join(', ')
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? texts.yes : texts.no
  if (typeof value === 'object') return Object.entries(value).map(headerText).join(', ') || texts.noValue
  return JSON.stringify(value)
}
