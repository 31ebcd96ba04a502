import { isAnswering, isWritable } from '../db/connection/checks.ts'
import type { Db } from '../db/connection/connection.ts'
import { isMigrated } from '../db/schema.ts'
import type { DatabaseClock } from '../deps/database-clock.ts'
import type { Checks } from './health.ts'

/** What /readyz says of the database, in every process that uses it. */
export const databaseChecks = (db: Db, clock: Pick<DatabaseClock, 'isNear'>): Checks => ({
  database: () => isAnswering(db),
  database_writable: () => isWritable(db),
  migrations: () => isMigrated(db),
  clock: () => Promise.resolve(clock.isNear()),
})
