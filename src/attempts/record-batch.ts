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
 * Recording writes the outcome of an attempt into the database, whether a workflow or the relay made the attempt. An
 * outcome is in one of these states:
 *
 * - waiting: the attempt has called `Recorder.record`. Outcomes gather while the batch before them commits, and at
 *   least until 10 ms after that batch began.
 * - recorded: the transaction below has written the attempt, the delivery, the delivery's next outbox row, the counters
 *   and the health of the endpoint, all or nothing. Metrics, log and statistics learn of the attempt after the commit.
 * - dropped as stale: the delivery is closed, or another attempt was recorded after this attempt's gate. While the
 *   delivery is open, a 2xx is recorded in any case, because the receiver has the event.
 * - set aside: another transaction locks the delivery's row, or the webhook that the outcome would deactivate. The
 *   recorder tries the outcome again after 50 ms. No other outcome waits for it.
 * - kept: the caller's time is over. The delivery's next attempt in this process writes the outcome and does not send
 *   again. The recorder also writes it when the database accepts the next heartbeat. While the recorder cannot write,
 *   the worker does not send.
 *
 * The locked row of the delivery decides, so a repeated write finds its outcome stale. A failed direct attempt counts
 * only under its own lease. To avoid deadlocks, each batch locks its rows in one order: deliveries by id, their start
 * rows, webhooks that a 410 deactivates, endpoints' health, and counters last. The batch waits only if another
 * transaction locks a start row, a counter or a new row of health. If another transaction locks a delivery or a
 * webhook, the outcome is set aside. If another transaction locks a row of health, the signs are postponed to the next
 * batch.
 *
 * If the worker crashes, only committed outcomes survive. An uncommitted outcome is lost, and another worker makes the
 * attempt again under the same webhook-id. Postponed signs of endpoints and some seconds of statistics are lost too.
 */

/** What one commit did. */
export type Recording = {
  /** The decision for each delivery that still exists and that no other transaction locked. */
  readonly decisions: ReadonlyMap<string, Decision>
  /** The attempts that were recorded; outcomes that came too late are left out. */
  readonly attempts: readonly RecordedAttempt[]
  /** Deliveries whose outcome is not written yet, because another transaction locks their row or the webhook's row. */
  readonly lockedElsewhere: ReadonlySet<string>
  /** How the health of endpoints changed, by webhook id. */
  readonly health: ReadonlyMap<string, HealthChange>
  readonly now: Date
  /** The signs that the next batch has to write. */
  readonly postponed: PostponedSigns
}

/**
 * Records outcomes of attempts in one transaction. It locks their deliveries, decides each outcome from the locked row,
 * and writes all decisions. It takes two round trips, and one to three more for attempts that failed. A batch has at
 * most one outcome per delivery. If another transaction locks the row of an outcome, the outcome is left out. An empty
 * batch writes only the postponed signs.
 *
 * @param postponed the signs that the previous batch did not write
 * @throws the database's error; in that case nothing is written
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

/**
 * The direct attempts that failed, with their leases. A success needs no lease: it counts even if another worker has
 * claimed the row.
 */
const failedDirectly = (batch: readonly MadeAttempt[]) =>
  batch.flatMap(({ deliveryId, directLease: lease, outcome }) =>
    lease && !isSuccessful(outcome) ? [{ deliveryId, lease }] : [],
  )

/**
 * True if the outcome counts: a workflow made the attempt, or the attempt succeeded, or its lease is still the latest
 * on the start row.
 */
const isOwn = ({ deliveryId, directLease, outcome }: MadeAttempt, owned: ReadonlySet<string>): boolean =>
  !directLease || isSuccessful(outcome) || owned.has(deliveryId)
