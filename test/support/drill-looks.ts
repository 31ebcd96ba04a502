import { setTimeout as delay } from 'node:timers/promises'
import type { Db } from '../../src/db/connection/connection.ts'
import { expectSoundRows } from './invariants.ts'

const LOOK_EVERY_MS = 50
/** So often it looks at the deliveries under way for each check of all rows, which takes longer. */
const LOOKS_FOR_EACH_CHECK = 10

/**
 * Looks until it is over: whether counters equal rows, and how many deliveries of the recovery wait in the outbox or are on
 * the wire at once, which are those whose attempt for the recovery is still to be recorded.
 */
export async function lookAtRows(db: Db, webhookId: string, isOver: () => boolean) {
  let [count, mostUnderWay] = [0, 0]
  while (!isOver()) {
    if (count++ % LOOKS_FOR_EACH_CHECK === 0) await expectSoundRows(db)
    const row = await db('deliveries')
      .where({ webhook_id: webhookId, status: 'retrying' })
      .whereRaw('recovery_base = attempts')
      .count({ underWay: '*' })
      .first<{ underWay: number }>()
    mostUnderWay = Math.max(mostUnderWay, row.underWay)
    await delay(LOOK_EVERY_MS)
  }
  return { count, mostUnderWay }
}
