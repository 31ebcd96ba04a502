export type HealthState = 'healthy' | 'failing' | 'disabled'

type WebhookHealth = {
  readonly state: HealthState
  readonly failing_since: string | null
  readonly consecutive_failures: number
  readonly last_success_at: string | null
  readonly last_error: string | null
  readonly waiting: number
}

/** Custom headers. null: the value is hidden; in a change, that it stays. */
type Headers = Readonly<Record<string, string | null>>

/** The settings of a webhook, as forms edit them. `retry_schedule` is absent while that of the service applies. */
type WebhookSettings = {
  readonly name: string
  readonly description: string | null
  readonly url: string
  readonly events: readonly string[]
  readonly is_active: boolean
  readonly headers: Headers
  readonly max_retries: number
  readonly retry_schedule?: readonly number[]
}

export type Webhook = WebhookSettings & {
  readonly id: string
  readonly deactivated_reason: string | null
  readonly total_deliveries: number
  readonly successful_deliveries: number
  readonly failed_deliveries: number
  readonly last_triggered_at: string | null
  readonly health: WebhookHealth
  readonly created_at: string
  readonly updated_at: string
}

export type CreatedWebhook = WebhookSettings & {
  readonly id: string
  readonly secret: string
  readonly created_at: string
}

export type WebhookSecret = { readonly id: string; readonly secret: string }

/** The values that are hidden otherwise. */
export type WebhookHeaders = { readonly id: string; readonly headers: Readonly<Record<string, string>> }

/** What a form sends. null as schedule means that of the service. */
export type WebhookBody = {
  readonly name?: string
  readonly description?: string | null
  readonly url?: string
  readonly events?: readonly string[]
  readonly is_active?: boolean
  readonly headers?: Headers
  readonly max_retries?: number
  readonly retry_schedule?: readonly number[] | null
}

export type TestResult = {
  readonly success: boolean
  readonly delivery_id: string
  readonly response_code: number | null
  readonly response_body: string | null
  readonly error: string | null
  readonly duration_ms: number
}

export type EventType = {
  readonly name: string
  readonly family: string
  readonly description: string
  readonly example: unknown
}

type AttemptCounts = {
  readonly attempts: number
  readonly successes: number
  readonly failures: number
}

type AttemptFigures = AttemptCounts & {
  readonly by_class: Readonly<Record<'2xx' | '3xx' | '4xx' | '5xx' | 'none', number>>
  readonly by_error: Readonly<Record<string, number>>
  readonly p50_ms: number | null
  readonly p95_ms: number | null
  readonly p99_ms: number | null
}

export type StatsWindow = '24h' | '7d' | '30d'

export type WebhookStats = {
  readonly window: StatsWindow
  readonly unit: 'hour' | 'day'
  readonly since: string
  readonly until: string
  readonly totals: AttemptFigures
  readonly series: readonly (AttemptFigures & { readonly starts_at: string })[]
}

/** How the attempts of a webhook went in the last 24 hours, hour by hour, oldest first. */
export type WebhookActivity = AttemptCounts & {
  readonly webhook_id: string
  readonly series: readonly (AttemptCounts & { readonly starts_at: string })[]
}

/** A webhook where only its name is shown, and the types of events that it gets. */
export type WebhookName = Pick<Webhook, 'id' | 'name' | 'events'>
