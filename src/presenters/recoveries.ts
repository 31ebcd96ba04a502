import {
  COUNTED_AT_MOST,
  type Recovery,
  type StartedRecovery,
  type Recoverable,
  type Missed,
} from '../domain/recovery/recovery.ts'

/**
 * A recovery, as the API shows it. `status` is the state of the recovery. `recovers` is the kind of the recovery. In
 * the request, the kind is in the field `status`.
 */
export const presentRecovery = (recovery: Recovery) => ({
  id: recovery.id,
  webhook_id: recovery.webhookId,
  recovers: recovery.kind,
  status: recovery.state,
  stopped_reason: recovery.stoppedReason,
  waits_for: recovery.waitsFor,
  total: recovery.total,
  queued: recovery.queued,
  since: recovery.since.toISOString(),
  until: recovery.until.toISOString(),
  created_at: recovery.createdAt.toISOString(),
  ended_at: recovery.endedAt?.toISOString() ?? null,
})

/** A recovery for the console, with the actor who began it. */
export const presentStartedRecovery = ({ recovery, startedBy }: StartedRecovery) => ({
  ...presentRecovery(recovery),
  started_by: startedBy && { id: startedBy.id, name: startedBy.name },
})

/** What a recovery would bring. `total` is null if it is above `counted_at_most`, or if counting takes too long. */
export const presentRecoverable = ({ kind, since, until, total }: Recoverable) => ({
  recovers: kind,
  since: since.toISOString(),
  until: until.toISOString(),
  total,
  counted_at_most: COUNTED_AT_MOST,
})

/** The latest pause of a webhook, and what a recovery of the pause would bring. Both are null without a pause. */
export const presentMissed = (missed: Missed | undefined) => ({
  pause: missed
    ? {
        starts_at: missed.pause.startsAt.toISOString(),
        ends_at: missed.pause.endsAt?.toISOString() ?? null,
      }
    : null,
  recoverable: missed ? presentRecoverable(missed.recoverable) : null,
})
