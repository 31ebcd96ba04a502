/** The type of test events. They are no part of the catalog, because nobody subscribes to them. */
export const TEST_EVENT = 'test.webhook'

export type DeliveryStatus = 'pending' | 'success' | 'retrying' | 'failed'

export type Delivery = {
  readonly id: string
  readonly webhook_id: string
  readonly event_type: string
  readonly event_id: string
  readonly status: DeliveryStatus
  readonly response_code: number | null
  readonly response_body: string | null
  readonly error: string | null
  readonly attempts: number
  readonly max_attempts: number
  readonly request_duration_ms: number | null
  readonly created_at: string
  /** The delivery whose event this one sends once more. */
  readonly resend_of: string | null
  readonly delivered_at?: string
  readonly next_retry_at?: string | null
  readonly held_reason: 'company_suspended' | 'webhook_inactive' | 'endpoint_failing' | null
}

export type Attempt = {
  readonly number: number
  readonly started_at: string
  readonly duration_ms: number
  readonly dns_ms: number | null
  readonly connect_ms: number | null
  readonly tls_ms: number | null
  readonly first_byte_ms: number | null
  readonly response_code: number | null
  readonly response_headers: Readonly<Record<string, string>> | null
  readonly response_headers_cut: boolean
  readonly response_body: string | null
  readonly error: string | null
  readonly location: string | null
  readonly trigger: 'scheduled' | 'manual' | 'test' | 'recovery'
  readonly made_by: 'workflow' | 'worker'
}

/** One delivery with the event that it sends (absent once the event was purged) and its latest attempts, oldest first. */
export type DeliveryDetail = Delivery & {
  readonly payload?: Readonly<Record<string, unknown>>
  readonly attempt_log: readonly Attempt[]
}
