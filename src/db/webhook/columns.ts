import type { Webhook } from '../../domain/webhook/webhook.ts'

/** The fields of a webhook that a change may set. Each has a column. */
export type WebhookFields = Pick<Webhook, keyof typeof COLUMNS>

/** The column of a field, and how to write and read its value if the column stores it in another form. */
type Column = {
  readonly name: string
  readonly write?: (value: never) => unknown
  readonly read?: (stored: never) => unknown
}

/** The columns of a webhook's fields. Inserts, updates, reads and the gate all use this map. So a new field is one line here. */
const COLUMNS = {
  name: { name: 'name' },
  description: { name: 'description' },
  url: { name: 'url' },
  isActive: { name: 'is_active', read: Boolean },
  headersSealed: { name: 'headers_sealed' },
  maxRetries: { name: 'max_retries' },
  retrySchedule: {
    name: 'retry_schedule',
    write: (seconds: readonly number[] | null) => seconds && JSON.stringify(seconds),
    read: (text: string | null) => text && (JSON.parse(text) as unknown),
  },
  filter: {
    name: 'filter',
    write: (filter: object | null) => filter && JSON.stringify(filter),
    read: (text: string | null) => text && (JSON.parse(text) as unknown),
  },
  sendTraceparent: { name: 'send_traceparent', read: Boolean },
  deactivatedReason: { name: 'deactivated_reason' },
} as const satisfies Partial<Record<keyof Webhook, Column>>

const ENTRIES = Object.entries(COLUMNS) as [keyof WebhookFields, Column][]

/** The columns of the given fields. Fields that are not given are left out. */
export const toColumns = (fields: Partial<WebhookFields>): Record<string, unknown> =>
  Object.fromEntries(
    ENTRIES.filter(([field]) => fields[field] !== undefined).map(([field, { name, write }]) => [
      name,
      write ? write(fields[field] as never) : fields[field],
    ]),
  )

/**
 * The columns of a table for a SELECT, with aliases that begin with `aliasStart`, so that they differ from other columns of
 * a join.
 */
export const selectColumns = (table: string, aliasStart: string): Record<string, string> =>
  Object.fromEntries(ENTRIES.map(([, { name }]) => [aliasStart + name, `${table}.${name}`]))

/** Reads the fields from a row whose column names begin with `aliasStart`. */
export const fromColumns = (row: object, aliasStart = ''): WebhookFields =>
  Object.fromEntries(
    ENTRIES.map(([field, { name, read }]) => {
      const stored = (row as Record<string, unknown>)[aliasStart + name]
      return [field, read ? read(stored as never) : stored]
    }),
  ) as WebhookFields
