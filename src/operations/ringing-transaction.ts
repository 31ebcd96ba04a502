import type { Knex } from 'knex'
import { inTransaction } from '../db/connection/connection.ts'
import type { Deps } from '../deps/deps.ts'

/** Runs a change in a transaction, like inTransaction. Afterwards rings the workers, because the change queues work. */
export async function inRingingTransaction<T>(
  { db, doorbell }: Pick<Deps, 'db' | 'doorbell'>,
  work: (trx: Knex.Transaction) => Promise<T>,
): Promise<T> {
  const result = await inTransaction(db, work)
  doorbell.ring()
  return result
}
