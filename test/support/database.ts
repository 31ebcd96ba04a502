import { randomBytes } from 'node:crypto'
import { connect, type SystemDb } from '../../src/db/connection/connection.ts'
import { requiredEnv } from './environment.ts'
import { readMigratedSchema } from './migrated-schema.ts'
import { asServiceAccount } from './service-account.ts'

export type TestDatabase = {
  /** Of an administrator. */
  readonly url: string
  /** Of the account that api and worker have in production; theirs is `url` without it. */
  readonly serviceUrl?: string
  readonly db: SystemDb
  readonly batchDb: SystemDb
  drop(): Promise<void>
}

/** A migrated database of its own on the server that `npm test` started; `drop` removes it. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const serverUrl = requiredEnv('TEST_DATABASE_URL')
  const url = new URL(serverUrl)
  url.pathname = `/t_${randomBytes(6).toString('hex')}`
  await createMigrated(serverUrl, url.pathname.slice(1))
  const db = connect(url.href)
  const batchDb = connect(url.href, { severalStatements: true, lockWaitS: 1 })
  return {
    url: url.href,
    serviceUrl: await asServiceAccount(url.href),
    db,
    batchDb,
    async drop() {
      await db.raw('DROP DATABASE ??', [url.pathname.slice(1)])
      await Promise.all([db.destroy(), batchDb.destroy()])
    },
  }
}

/** A database of the surrounding `describe`'s own; read it inside tests. */
export function useDatabase(): Omit<TestDatabase, 'drop' | 'serviceUrl'> {
  let database: TestDatabase | undefined
  before(async () => {
    database = await createTestDatabase()
  })
  after(() => database?.drop())
  function here(): TestDatabase {
    if (database === undefined) throw new Error('the database is there inside tests only')
    return database
  }
  return {
    get url() {
      return here().url
    },
    get db() {
      return here().db
    },
    get batchDb() {
      return here().batchDb
    },
  }
}

async function createMigrated(serverUrl: string, name: string): Promise<void> {
  const schema = await readMigratedSchema(serverUrl)
  const server = connect(serverUrl, { severalStatements: true, poolSize: 1 })
  try {
    await server.raw('CREATE DATABASE ?? CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci; USE ??', [
      name,
      name,
    ])
    await server.raw(schema)
  } finally {
    await server.destroy()
  }
}
