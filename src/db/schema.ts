import type { DatabaseTls } from './connection/options.ts'
import { connect, type Db } from './connection/connection.ts'
import { isUnknownDatabase, isUnknownTable } from '../domain/database-errors.ts'
import { MIGRATION_NAMES, migrationSource } from './migrations/index.ts'

/**
 * Creates the database if it is not there and applies the missing migrations. Gives the names applied. Migrations of a
 * later release stay: this release runs on their schema too, so that an operator can go back to it without a rollback.
 */
export async function migrate(databaseUrl: string, tls?: DatabaseTls): Promise<string[]> {
  await createDatabase(databaseUrl, tls)
  return withPool(databaseUrl, tls, async (db) => {
    const options = { migrationSource, disableMigrationsListValidation: true }
    const [, applied] = (await db.migrate.latest(options)) as [number, string[]]
    return applied
  })
}

/** Takes the latest batch of migrations back. Gives the names taken back. */
export async function rollback(databaseUrl: string, tls?: DatabaseTls): Promise<string[]> {
  return withPool(databaseUrl, tls, async (db) => {
    const [, undone] = (await db.migrate.rollback({ migrationSource })) as [number, string[]]
    return undone
  })
}

/**
 * The migrations that this version needs and the database does not have. Those of a newer version do not matter: they
 * let this one run on.
 */
export async function listMissingMigrations(db: Db): Promise<string[]> {
  const applied = await listAppliedMigrations(db)
  return MIGRATION_NAMES.filter((name) => !applied.includes(name))
}

/** Whether the database has every migration that this version needs. */
export const isMigrated = async (db: Db): Promise<boolean> => (await listMissingMigrations(db)).length === 0

/** The migrations that knex has recorded; none in a database that was never migrated. */
async function listAppliedMigrations(db: Db): Promise<string[]> {
  try {
    return await db('knex_migrations').pluck<string[]>('name')
  } catch (error) {
    if (isUnknownTable(error)) return []
    throw error
  }
}

async function createDatabase(databaseUrl: string, tls: DatabaseTls | undefined): Promise<void> {
  try {
    await withPool(databaseUrl, tls, (db) => db.raw('SELECT 1'))
  } catch (error) {
    if (!isUnknownDatabase(error)) throw error
    const url = new URL(databaseUrl)
    const name = url.pathname.slice(1)
    url.pathname = '/'
    await withPool(url.href, tls, (db) =>
      db.raw('CREATE DATABASE IF NOT EXISTS ?? CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci', [name]),
    )
  }
}

async function withPool<T>(
  databaseUrl: string,
  tls: DatabaseTls | undefined,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  const db = connect(databaseUrl, { tls, poolSize: 1, acquireTimeoutMs: 10_000 })
  try {
    return await work(db)
  } finally {
    await db.destroy()
  }
}
