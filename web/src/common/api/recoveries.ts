/** What a recovery brings: deliveries that failed for good, or events that a pause of the webhook missed. */
export type RecoveryKind = 'failed' | 'missed'

export type Recovery = {
  readonly id: string
  readonly webhook_id: string
  readonly recovers: RecoveryKind
  readonly status: 'queued' | 'running' | 'done' | 'cancelled'
  readonly stopped_reason: 'requested' | 'webhook_deleted' | 'endpoint_failing' | null
  readonly waits_for:
    | 'turn'
    | 'company_suspended'
    | 'webhook_inactive'
    | 'endpoint_failing'
    | 'attempts'
    | null
  /** null: not counted, because there are too many. */
  readonly total: number | null
  readonly queued: number
  readonly since: string
  readonly until: string
  readonly created_at: string
  readonly ended_at: string | null
}

/** A recovery of a list. null: it is no longer known who began it. */
export type StartedRecovery = Recovery & {
  readonly started_by: { readonly id: string; readonly name: string | null } | null
}

/** What a recovery would bring, if it began now. */
export type Recoverable = Pick<Recovery, 'recovers' | 'since' | 'until' | 'total'> & {
  /** More than so many are not counted: `total` is null then. */
  readonly counted_at_most: number
}

/** The latest pause of a webhook, and what a recovery of it would bring; both null without a pause. */
export type Missed = {
  readonly pause: { readonly starts_at: string; readonly ends_at: string | null } | null
  readonly recoverable: Recoverable | null
}
