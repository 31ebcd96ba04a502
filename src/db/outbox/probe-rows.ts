import { FROM_NOW, toMicroseconds } from '../clock.ts'
import type { SystemDb } from '../connection/connection.ts'
import { foundBy, run, type Statement } from '../connection/statements.ts'

/**
 * Takes the next probe of failing endpoints. Only one worker gets it: for the others the next probe is due at the end of the
 * lease, or when the record of this one says so. Until settleProbe names the delivery, `probe_delivery_id` is the owner.
 *
 * @returns the webhooks whose probe this worker may send. One whose row cannot be changed now is left out
 */
export async function takeProbes(
  db: SystemDb,
  webhookIds: readonly string[],
  owner: string,
  leaseMs: number,
): Promise<Set<string>> {
  const take = (webhookId: string): Statement => ({
    sql: `UPDATE webhook_health SET probe_at = ${FROM_NOW}, probe_delivery_id = ?, changed_at = NOW(3)
           WHERE webhook_id = ? AND probe_at <= NOW(3)`,
    values: [toMicroseconds(leaseMs), owner, webhookId],
  })
  const results = await Promise.allSettled(webhookIds.map((id) => run(db, take(id))))
  return new Set(
    webhookIds.filter((_, index) => {
      const result = results[index]
      return result?.status === 'fulfilled' && foundBy(result.value) > 0
    }),
  )
}

/** Notes which delivery is the probe that the owner has taken. */
export async function settleProbe(
  db: SystemDb,
  webhookId: string,
  owner: string,
  deliveryId: string,
): Promise<void> {
  await run(db, {
    sql: `UPDATE webhook_health SET probe_delivery_id = ?, changed_at = NOW(3)
           WHERE webhook_id = ? AND probe_delivery_id = ?`,
    values: [deliveryId, webhookId, owner],
  })
}

/** Lets the next probe go at once, because nothing was sent with this one. @param holder its delivery, or its owner */
export async function giveBackProbe(db: SystemDb, webhookId: string, holder: string): Promise<void> {
  await run(db, {
    sql: `UPDATE webhook_health SET probe_at = NOW(3), probe_delivery_id = NULL, changed_at = NOW(3)
           WHERE webhook_id = ? AND probe_delivery_id = ? AND probe_at IS NOT NULL`,
    values: [webhookId, holder],
  })
}
