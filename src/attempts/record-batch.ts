import type { SystemDb } from '../db/connection/connection.ts'
import { inBatchTransaction } from '../db/connection/statements.ts'
import { lockLeases } from '../db/outbox/direct-starts.ts'
import { failingOf, failingStatement } from '../db/webhook/endpoint-health.ts'
import { lockToDeactivate } from '../db/webhook/deactivations.ts'
import { lockDeliveries, writeOutcomes } from '../db/delivery/outcomes.ts'
import type { DeliveryChange } from '../db/delivery/rows.ts'
import { isGone, isSuccessful, type MadeAttempt } from '../domain/delivery/outcome.ts'
import { recordOutcome, type Decision, type RecordedAttempt } from '../domain/delivery/transitions.ts'
import { EndpointSigns, type HealthChange, type PostponedSigns } from './endpoint-signs.ts'

/*
 * Recording: how the outcome of an attempt gets into the database, whether a workflow or the relay made the attempt. An
 * outcome is in one of these states:
 *
 * - waiting: the attempt has called `Recorder.record`. Outcomes gather while the batch before them commits, and until 10 ms
 *   after its beginning.
 * - recorded: the transaction below has written the attempt, the delivery, what comes next in the outbox, the counters
 *   and the health of the endpoint, all or nothing. Metrics, log and statistics learn of it after the commit.
 * - dropped as stale: the delivery is closed, or another attempt was recorded since this one's gate. A 2xx is recorded
 *   all the same while the delivery is open, because the receiver has the event.
 * - set aside: another transaction locks the delivery's row, or the webhook that it would deactivate. It comes back after
 *   50 ms and delays no other outcome.
 * - kept: its caller's time is over. The delivery's next attempt in this process writes it in place of sending again, and so
 *   does the next heartbeat that the database takes. While nothing can be written, nothing is sent.
 *
 * The delivery's row, under lock, decides, so a repeated write finds its outcome stale. A failed direct attempt counts
 * only under its own lease. Rows are locked in one order: deliveries by id, their start rows, webhooks that a 410
 * deactivates, endpoints' health, counters last. It waits for none but these: start rows, new rows of health, counters. What
 * another transaction locks of the rest is set aside, or, of the health, postponed to the next batch.
 *
 * What survives a crash of the worker: what was committed. An outcome that was not is lost, and the attempt is made
 * again under the same webhook-id. What was postponed of the health of endpoints, and some seconds of statistics, are
 * lost too.
 */

/** What one commit did. */
export type Recording = {
  /** The decision for each delivery that is still there. */
  readonly decisions: ReadonlyMap<string, Decision>
  /** The attempts that were recorded; outcomes that came too late are left out. */
  readonly attempts: readonly RecordedAttempt[]
  /** Deliveries whose outcome is not written yet, because another transaction locks their row or their webhook's. */
  readonly lockedElsewhere: ReadonlySet<string>
  /** How the health of endpoints changed, and when, by the database's clock. */
  readonly health: ReadonlyMap<string, HealthChange>
  readonly now: Date
  /** What the next batch has to write. */
  readonly postponed: PostponedSigns
}

/**
 * Records outcomes of attempts in one transaction: locks their deliveries, decides each from its locked row, and writes
 * them all. It takes two round trips, and one to three more for attempts that failed. A batch has at most one outcome per
 * delivery. Outcomes whose row another transaction locks are left out. An empty batch writes what was postponed.
 *
 * @param postponed what the batch before it left to be written
 * @throws the database's error; nothing is written then
 */
export async function recordBatch(
  batchDb: SystemDb,
  batch: readonly MadeAttempt[],
  postponed: PostponedSigns = new Map(),
): Promise<Recording> {
  return inBatchTransaction(batchDb, async (trx) => {
    const ids = batch.map(({ deliveryId }) => deliveryId).sort()
    const webhookIds = [...new Set([...batch.map(({ webhookId }) => webhookId), ...postponed.keys()])]
    const { locked, now, also, ...found } = await lockDeliveries(trx.run, ids, [failingStatement(webhookIds)])
    const lockedElsewhere = new Set(found.lockedElsewhere)
    const owned = await lockLeases(trx.run, failedDirectly(batch))
    const gone = batch.filter(({ outcome }) => isGone(outcome))
    const lockedWebhooks = await lockToDeactivate(trx.run, [
      ...new Set(gone.map(({ webhookId }) => webhookId)),
    ])
    for (const { deliveryId, webhookId } of gone)
      if (lockedWebhooks.has(webhookId)) lockedElsewhere.add(deliveryId)
    const decisions = new Map<string, Decision>()
    const changes: DeliveryChange[] = []
    const counted: Omit<RecordedAttempt, 'hasDeactivated'>[] = []
    const signs = new EndpointSigns(postponed)
    for (const made of batch) {
      const before = locked.get(made.deliveryId)
      if (!before || lockedElsewhere.has(made.deliveryId)) continue
      const decision: Decision = isOwn(made, owned)
        ? recordOutcome(before.delivery, made, now, Math.random())
        : { kind: 'stale' }
      decisions.set(made.deliveryId, decision)
      if (decision.kind === 'recorded') {
        signs.add(made, before.delivery, now)
        counted.push({ made, decision, companyId: before.row.company_id })
        changes.push({
          before,
          after: decision.delivery,
          attempt: decision.attempt,
          directUntil: made.directUntil,
          ...(decision.isGone && { goneAtVersion: made.webhookVersionAtGate }),
        })
      }
    }
    const health = await signs.changes(trx.run, failingOf(also[0]), now)
    const changed = new Map([...health.changed].map(([webhookId, { after }]) => [webhookId, after]))
    const deactivating = await writeOutcomes(trx.commit, changes, now, { ...health, changed })
    const attempts = counted.map((attempt) => ({
      ...attempt,
      hasDeactivated: deactivating.has(attempt.made.deliveryId),
    }))
    return { decisions, attempts, lockedElsewhere, health: health.changed, now, postponed: health.postponed }
  })
}

/** The direct attempts that failed, with their leases. A success counts whoever has the lease. */
const failedDirectly = (batch: readonly MadeAttempt[]) =>
  batch.flatMap(({ deliveryId, directLease: lease, outcome }) =>
    lease && !isSuccessful(outcome) ? [{ deliveryId, lease }] : [],
  )

/** True if the outcome counts: a workflow made the attempt, it succeeded, or nobody has claimed its row since. */
const isOwn = ({ deliveryId, directLease, outcome }: MadeAttempt, owned: ReadonlySet<string>): boolean =>
  !directLease || isSuccessful(outcome) || owned.has(deliveryId)
