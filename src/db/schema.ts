import type { DatabaseTls } from './connection/options.ts'
import { isAnswering } from './connection/checks.ts'
import { connect, type Db } from './connection/connection.ts'
import { readRows } from './connection/statements.ts'
import { isUnknownDatabase, isUnknownTable } from './connection/errors.ts'
import { ApiError } from '../domain/errors.ts'
import { MIGRATION_NAMES, migrationSource } from './migrations/index.ts'
import { LOCK_WAIT_S, type StepOptions } from './migrations/migration.ts'

/** How long a migration waits for another one, in seconds. */
const OTHER_MIGRATION_S = 600

type Connecting = { readonly tls?: DatabaseTls | undefined; readonly lockWaitS?: number }

/**
 * Creates the database if it does not exist, and applies the missing migrations. Returns the names of the applied ones.
 * Migrations of a later release stay, because this release runs on their schema. So an operator can go back to this
 * release without a rollback. A migration that was cut off continues after the steps that it has done.
 *
 * @throws ApiError that says what to do, if another process does not release a lock in time
 */
export async function migrate(
  databaseUrl: string,
  { tls, ...options }: Connecting & StepOptions = {},
): Promise<string[]> {
  await createDatabase(databaseUrl, tls)
  return using(connectToMigrate(databaseUrl, { tls, ...options }), (db) => applyMissing(db, options))
}

/** Like migrate, but in an existing database, and on a pool of connectToMigrate. */
export async function applyMissing(db: Db, options: StepOptions): Promise<string[]> {
  await lockMigrations(db, options)
  const source = { migrationSource: migrationSource(options), disableMigrationsListValidation: true }
  const [, applied] = (await db.migrate.latest(source)) as [number, string[]]
  return applied
}

/** Rolls the latest batch of migrations back. Returns their names. */
export function rollback(
  databaseUrl: string,
  { tls, ...options }: Connecting & StepOptions = {},
): Promise<string[]> {
  return using(connectToMigrate(databaseUrl, { tls, ...options }), async (db) => {
    await lockMigrations(db, options)
    const source = { migrationSource: migrationSource(options) }
    const [, undone] = (await db.migrate.rollback(source)) as [number, string[]]
    return undone
  })
}

/** A pool of one connection. The connection is never replaced, because the lock of lockMigrations belongs to it. */
export const connectToMigrate = (
  databaseUrl: string,
  { tls, lockWaitS = LOCK_WAIT_S }: Connecting = {},
): Db =>
  connect(databaseUrl, { ...ALONE, tls, lockWaitS, changesSchema: true, connectionLifetimeMs: Infinity })

const ALONE = { poolSize: 1, acquireTimeoutMs: 10_000 }

/**
 * Keeps other migrations from running on this database until the connection ends. knex has a lock of its own: a row,
 * which stays when a process is killed. Only the process that holds our lock migrates, so it may remove that row. If
 * the process is killed, the server first finishes its statement, and only then releases our lock.
 */
async function lockMigrations(db: Db, { tell }: StepOptions): Promise<void> {
  for (const waitS of [0, OTHER_MIGRATION_S]) {
    if (waitS > 0)
      tell?.(
        'another migration runs on this database, or the server still ends the last statement of one: waiting',
      )
    const [row] = await readRows<{ is_mine: number | null }>(db)`
      SELECT GET_LOCK(LEFT(CONCAT('migrate ', DATABASE()), 64), ${waitS}) AS is_mine`
    if (row?.is_mine !== 1) continue
    await db.migrate.forceFreeMigrationsLock()
    return
  }
  throw new ApiError(
    'SERVICE_UNAVAILABLE',
    'Another migration runs on this database. SHOW PROCESSLIST shows its statement: wait for its end, then run the command again.',
  )
}

/**
 * The migrations that this version needs and the database lacks. Migrations of a newer version do not matter, because this
 * version runs on their schema.
 */
export async function listMissingMigrations(db: Db): Promise<string[]> {
  const applied = await listAppliedMigrations(db)
  return MIGRATION_NAMES.filter((name) => !applied.includes(name))
}

/** Whether the database has every migration that this version needs. */
export const isMigrated = async (db: Db): Promise<boolean> => (await listMissingMigrations(db)).length === 0

/** The migrations that knex has recorded. None in a database that was never migrated. */
async function listAppliedMigrations(db: Db): Promise<string[]> {
  try {
    return await db('knex_migrations').pluck<string[]>('name')
  } catch (error) {
    if (isUnknownTable(error)) return []
    throw error
  }
}

async function createDatabase(databaseUrl: string, tls: DatabaseTls | undefined): Promise<void> {
  const withServer = (url: string, work: (db: Db) => Promise<unknown>) =>
    using(connect(url, { ...ALONE, tls }), work)
  try {
    await withServer(databaseUrl, isAnswering)
  } catch (error) {
    if (!isUnknownDatabase(error)) throw error
    const url = new URL(databaseUrl)
    const name = url.pathname.slice(1)
    url.pathname = '/'
    await withServer(url.href, (db) =>
      db.raw('CREATE DATABASE IF NOT EXISTS ?? CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci', [name]),
    )
  }
}

async function using<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
  try {
    return await work(db)
  } finally {
    await db.destroy()
  }
}
