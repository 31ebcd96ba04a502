import { setTimeout as delay } from 'node:timers/promises'
import type { Knex } from 'knex'
import type { Db } from '../../src/db/connection/connection.js'
import { until } from './poll.js'

/** Runs the work while somebody else holds the row of a delivery, who lets it go whatever happens. */
export async function whileHeld<T>(db: Db, deliveryId: string, work: () => Promise<T>): Promise<T> {
  const holder = await db.transaction()
  try {
    await holder('deliveries').where({ id: deliveryId }).forUpdate()
    return await work()
  } finally {
    await holder.rollback()
  }
}

/** MariaDB makes these lists anew only when nobody has read them for 100 ms. */
const LIST_AGE_MS = 150

/** Who waits for whom. It holds all databases of the server, so also the locks of tests that run beside this one. */
const WAITS = {
  mariadb: { table: 'information_schema.innodb_lock_waits', blocker: 'blocking_trx_id' },
  mysql: { table: 'performance_schema.data_lock_waits', blocker: 'BLOCKING_ENGINE_TRANSACTION_ID' },
}

/** Resolves once some transaction waits for a lock that the holder has. */
export async function untilSomebodyWaitsFor(db: Db, holder: Knex.Transaction): Promise<void> {
  const [server] = (await holder.raw('SELECT VERSION() AS version, CONNECTION_ID() AS connection'))[0] as [
    { version: string; connection: number },
  ]
  const { table, blocker } = WAITS[server.version.includes('MariaDB') ? 'mariadb' : 'mysql']
  const list = async () => {
    await delay(LIST_AGE_MS)
    return db({ waits: table })
      .join({ holders: 'information_schema.innodb_trx' }, 'holders.trx_id', `waits.${blocker}`)
      .where('holders.trx_mysql_thread_id', server.connection)
  }
  await until(list, (waiting: unknown[]) => waiting.length > 0, {
    withinMs: 30_000,
    what: 'a transaction that waits for the lock of the test',
  })
}
