export type NoticeKind =
  | 'webhook_failing'
  | 'webhook_disable_warning'
  | 'webhook_disabled'
  | 'webhook_gone'
  | 'webhook_backlog'
  | 'deliveries_failed'
  | 'key_expires_in_7_days'
  | 'key_expires_in_1_day'
  | 'key_grace_ends_in_1_day'

/** What a person should know of a webhook or a key: one of both ids is set. */
export type Notice = {
  readonly id: string
  readonly kind: NoticeKind
  readonly webhook_id: string | null
  readonly key_id: string | null
  readonly message: string
  readonly count: number | null
  readonly created_at: string
}
