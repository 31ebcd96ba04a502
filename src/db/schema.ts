import { connect, type Db } from './connection.js'
import { isUnknownDatabase } from './errors.js'
import { migrationSource } from './migrations/index.js'

/** Creates the database if it is not there and applies the missing migrations. Gives the names applied. */
export async function migrate(databaseUrl: string): Promise<string[]> {
  await createDatabase(databaseUrl)
  return withPool(databaseUrl, async (db) => {
    const [, applied] = (await db.migrate.latest({ migrationSource })) as [number, string[]]
    return applied
  })
}

/** Takes the latest batch of migrations back. Gives the names taken back. */
export async function rollback(databaseUrl: string): Promise<string[]> {
  return withPool(databaseUrl, async (db) => {
    const [, undone] = (await db.migrate.rollback({ migrationSource })) as [number, string[]]
    return undone
  })
}

async function createDatabase(databaseUrl: string): Promise<void> {
  try {
    await withPool(databaseUrl, (db) => db.raw('SELECT 1'))
  } catch (error) {
    if (!isUnknownDatabase(error)) throw error
    const url = new URL(databaseUrl)
    const name = url.pathname.slice(1)
    url.pathname = '/'
    await withPool(url.href, (db) =>
      db.raw('CREATE DATABASE IF NOT EXISTS ?? CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci', [name]),
    )
  }
}

async function withPool<T>(databaseUrl: string, work: (db: Db) => Promise<T>): Promise<T> {
  const db = connect(databaseUrl, { poolSize: 1, acquireTimeoutMs: 10_000 })
  try {
    return await work(db)
  } finally {
    await db.destroy()
  }
}
