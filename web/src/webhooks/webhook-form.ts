import type { Webhook, WebhookChange } from '../common/api/wire.ts'
import { filterText, parseFilterText } from './filter/filter-text.ts'
import { parseSchedule, scheduleText } from './retry-plan.ts'
import { texts } from './texts.ts'

/** A custom header while it is being edited. */
export type HeaderRow = {
  readonly id: number
  readonly name: string
  /** null: the stored value stays, which is hidden. */
  readonly value: string | null
  /** The name under which a hidden value is stored. */
  readonly stored?: string
}

export type WebhookForm = {
  readonly name: string
  readonly description: string
  readonly url: string
  readonly events: Webhook['events']
  readonly headers: readonly HeaderRow[]
  readonly maxRetries: number
  /** Empty for the schedule of the service. */
  readonly schedule: string
  /** As JSON; empty for none. */
  readonly filter: string
  readonly sendTraceparent: boolean
  readonly isActive: boolean
}

/** The retries of a webhook whose form nobody has touched, as the API has them by default. */
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

/** What the form shows of a webhook. */
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

/** Every setting as the API takes it. Header rows without a name are left out. */
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

/** The api keeps a hidden value only under its own name. */
const hasLostValue = ({ name, value, stored }: HeaderRow): boolean =>
  value === null && name.trim() !== '' && name.trim() !== stored

/** What the form does not need the api to say. */
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
