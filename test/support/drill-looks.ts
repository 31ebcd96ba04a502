import { setTimeout as delay } from 'node:timers/promises'
import type { Db } from '../../src/db/connection/connection.ts'
import { expectSoundRows } from './invariants.ts'

const CHECK_EVERY_MS = 500
const LOOK_EVERY_MS = 50

/** What looks at the rows of a webhook saw while its recovery ran. */
export type Looks = { readonly count: number; readonly mostUnderWay: number }

/**
 * Looks until it is over: whether counters equal rows, and how many deliveries of the recovery wait in the outbox or are on
 * the wire at once.
 */
export async function lookAtRows(db: Db, webhookId: string, isOver: () => boolean): Promise<Looks> {
  const [looks] = await Promise.all([countUnderWay(db, webhookId, isOver), checkRows(db, isOver)])
  return looks
}

async function checkRows(db: Db, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await expectSoundRows(db)
    await delay(CHECK_EVERY_MS)
  }
}

/** Those whose attempt for the recovery is still to be recorded. */
async function countUnderWay(db: Db, webhookId: string, isOver: () => boolean): Promise<Looks> {
  let count = 0
  let mostUnderWay = 0
  while (!isOver()) {
    const row = await db('deliveries')
      .where({ webhook_id: webhookId, status: 'retrying' })
      .whereRaw('recovery_base = attempts')
      .count({ underWay: '*' })
      .first<{ underWay: number }>()
    count += 1
    mostUnderWay = Math.max(mostUnderWay, row.underWay)
    await delay(LOOK_EVERY_MS)
  }
  return { count, mostUnderWay }
}
