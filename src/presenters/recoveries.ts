import type { Recovery } from '../domain/recovery/recovery.js'

/** A recovery, as the API shows it. `status` is its state; `recovers` is the `status` that the request asked for. */
export const presentRecovery = (recovery: Recovery) => ({
  id: recovery.id,
  webhook_id: recovery.webhookId,
  recovers: recovery.kind,
  status: recovery.state,
  stopped_reason: recovery.stoppedReason,
  total: recovery.total,
  queued: recovery.queued,
  since: recovery.since.toISOString(),
  until: recovery.until.toISOString(),
  created_at: recovery.createdAt.toISOString(),
  ended_at: recovery.endedAt?.toISOString() ?? null,
})
