import { inTransaction, type Db } from '../db/connection.js'
import { lockDeliveries, writeOutcomes, type DecidedOutcome } from '../db/system/outcomes.js'
import { decideOutcome, type Decision, type MadeAttempt } from '../domain/recording.js'

/**
 * Records what came of attempts in one transaction: locks their deliveries, decides each from its row as it is then,
 * and writes them all. At most one outcome per delivery.
 *
 * @returns the decision for each delivery that is still there
 * @throws what the database says; nothing is written then
 */
export async function recordTogether(db: Db, batch: readonly MadeAttempt[]): Promise<Map<string, Decision>> {
  return inTransaction(db, async (trx) => {
    const ids = batch.map(({ deliveryId }) => deliveryId).sort()
    const { locked, now } = await lockDeliveries(trx, ids)
    const decisions = new Map<string, Decision>()
    const outcomes: DecidedOutcome[] = []
    for (const made of batch) {
      const before = locked.get(made.deliveryId)
      if (!before) continue
      const decision = decideOutcome(before.delivery, made, now, Math.random())
      decisions.set(made.deliveryId, decision)
      if (decision.kind === 'recorded') {
        outcomes.push({
          before,
          after: decision.delivery,
          attempt: decision.attempt,
          isGone: decision.isGone,
        })
      }
    }
    await writeOutcomes(trx, outcomes, now)
    return decisions
  })
}
