import type { Webhook, WebhookChange } from '../common/api/wire.ts'
import { filterText, parseFilterText } from './filter/filter-text.ts'
import { parseSchedule, scheduleText } from './retry-plan.ts'
import { texts } from './texts.ts'

/** A custom header while it is edited. */
export type HeaderRow = {
  readonly id: number
  readonly name: string
  /** null: keep the stored value, which is hidden. */
  readonly value: string | null
  /** The name under which the hidden value is stored. */
  readonly stored?: string
}

export type WebhookForm = {
  readonly name: string
  readonly description: string
  readonly url: string
  readonly events: Webhook['events']
  readonly headers: readonly HeaderRow[]
  readonly maxRetries: number
  /** Empty: the default schedule of the service. */
  readonly schedule: string
  /** The filter as JSON. Empty: no filter. */
  readonly filter: string
  readonly sendTraceparent: boolean
  readonly isActive: boolean
}

/** The number of retries in the form of a new webhook. It is the api's default. */
const DEFAULT_MAX_RETRIES = 5

export const NEW_WEBHOOK: WebhookForm = {
  name: '',
  description: '',
  url: '',
  events: [],
  headers: [],
  maxRetries: DEFAULT_MAX_RETRIES,
  schedule: '',
  filter: '',
  sendTraceparent: false,
  isActive: true,
}

/** The form's values for a webhook. */
export const formOf = (webhook: Webhook): WebhookForm => ({
  name: webhook.name,
  description: webhook.description ?? '',
  url: webhook.url,
  events: webhook.events,
  headers: Object.entries(webhook.headers).map(([name, value], id) => ({ id, name, value, stored: name })),
  maxRetries: webhook.max_retries,
  schedule: webhook.retry_schedule ? scheduleText(webhook.retry_schedule) : '',
  filter: filterText(webhook.filter),
  sendTraceparent: webhook.send_traceparent ?? false,
  isActive: webhook.is_active,
})

/** All settings as the API takes them. Header rows without a name are left out. */
export const bodyOf = (form: WebhookForm): Required<WebhookChange> => ({
  name: form.name,
  description: form.description === '' ? null : form.description,
  url: form.url.trim(),
  events: form.events,
  headers: Object.fromEntries(
    form.headers.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value]),
  ),
  max_retries: form.maxRetries,
  retry_schedule: form.schedule.trim() === '' ? null : (parseSchedule(form.schedule) ?? null),
  filter: parseFilterText(form.filter) ?? null,
  send_traceparent: form.sendTraceparent,
  is_active: form.isActive,
})

/** The api keeps a hidden value only under the name that it had. */
const hasLostValue = ({ name, value, stored }: HeaderRow): boolean =>
  value === null && name.trim() !== '' && name.trim() !== stored

/** Errors that the form finds without the api. */
export function faultsOf(form: WebhookForm): Readonly<Record<string, string>> {
  const names = form.headers.map(({ name }) => name.trim().toLowerCase()).filter((name) => name !== '')
  return {
    ...(form.schedule.trim() !== '' && !parseSchedule(form.schedule) && { retry_schedule: texts.delaysForm }),
    ...(parseFilterText(form.filter) === undefined && { filter: texts.filterForm }),
    ...(form.events.length === 0 && { events: texts.chooseEvent }),
    ...(form.headers.some(hasLostValue) && {
      headers: texts.renamedHeader,
    }),
    ...(new Set(names).size < names.length && { headers: texts.sameHeader }),
  }
}
