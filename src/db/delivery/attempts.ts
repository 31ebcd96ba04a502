import { KEPT_BODIES, type Attempt } from '../../domain/delivery/delivery.js'
import type { Db } from '../connection/connection.js'
import { toAttempt, type AttemptRow } from './rows.js'

/** Part of a delivery's attempts, newest first. */
export type AttemptPage = { readonly items: readonly Attempt[]; readonly hasMore: boolean }

/**
 * The attempts of a delivery below a number, newest first. Response bodies are those of the latest KEPT_BODIES attempts
 * of the delivery; what a former release has left in others is not read.
 *
 * @param latest number of the delivery's latest attempt
 * @param before attempts with a lower number only; by default all
 */
export async function listAttempts(
  db: Db,
  deliveryId: string,
  { latest, limit, before = latest + 1 }: { latest: number; limit: number; before?: number },
): Promise<AttemptPage> {
  const rows = await db<AttemptRow>('attempts')
    .where({ delivery_id: deliveryId })
    .andWhere('number', '<', before)
    .orderBy('number', 'desc')
    .limit(limit + 1)
    .select<AttemptRow[]>(
      'delivery_id',
      'number',
      'started_at',
      'duration_ms',
      'response_code',
      'error',
      'location',
      'trigger',
      db.raw('IF(number > ?, response_body, NULL) AS response_body', [latest - KEPT_BODIES]),
    )
  return { items: rows.slice(0, limit).map(toAttempt), hasMore: rows.length > limit }
}

/** An attempt that was just made of a delivery. */
type NewAttempt = { readonly deliveryId: string; readonly number: number }

/**
 * Forgets the response body that each new attempt pushes out of the latest KEPT_BODIES: one row of each delivery, all in
 * one statement. Deliveries with fewer attempts cost nothing.
 */
export async function forgetFormerBodies(trx: Db, attempts: readonly NewAttempt[]): Promise<void> {
  const former = attempts.filter(({ number }) => number > KEPT_BODIES)
  if (former.length === 0) return
  await trx<AttemptRow>('attempts')
    .where((any) => {
      for (const { deliveryId, number } of former) {
        any.orWhere({ delivery_id: deliveryId, number: number - KEPT_BODIES })
      }
    })
    .update({ response_body: null })
}
