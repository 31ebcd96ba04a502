import { setTimeout as delay } from 'node:timers/promises'
import type { Db } from '../../src/db/connection/connection.ts'
import { until } from './poll.ts'

/** Runs the work while another transaction locks the row of a delivery. It always releases the lock. */
export const whileHeld = <T>(db: Db, deliveryId: string, work: () => Promise<T>): Promise<T> =>
  whileOpen(db, (holder) => holder('deliveries').where({ id: deliveryId }).forUpdate(), work)

/** Runs the work while another transaction is open that began with this statement. It is always rolled back. */
export async function whileOpen<T>(
  db: Db,
  begin: (trx: Db) => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  const holder = await db.transaction()
  try {
    await begin(holder)
    return await work()
  } finally {
    await holder.rollback()
  }
}

/** The servers refresh this list only when nobody has read it for 100 ms. */
const LIST_AGE_MS = 150

/**
 * Resolves once a transaction in the test's database waits for a lock. It ignores other databases, because other tests
 * may use the same server.
 */
export async function untilSomebodyWaitsForLock(db: Db): Promise<void> {
  const list = async () => {
    await delay(LIST_AGE_MS)
    return db({ waiting: 'information_schema.innodb_trx' })
      .join(
        { connections: 'information_schema.processlist' },
        'connections.id',
        'waiting.trx_mysql_thread_id',
      )
      .where({ trx_state: 'LOCK WAIT' })
      .whereRaw('connections.db = DATABASE()')
  }
  await until(list, (waiting: unknown[]) => waiting.length > 0, {
    withinMs: 30_000,
    what: 'a transaction that waits for a lock in the database of the test',
  })
}

/** How many statements that contain the text the server runs now, on any connection. This query does not count. */
export async function countRunning(db: Db, text: string): Promise<number> {
  const [rows] = (await db.raw(
    'SELECT COUNT(*) AS running FROM information_schema.processlist WHERE info LIKE ? AND id <> CONNECTION_ID() AND db = DATABASE()',
    [`%${text}%`],
  )) as [{ running: number }[]]
  return rows[0]?.running ?? 0
}
