import { randomBytes } from 'node:crypto'
import { connect, type SystemDb } from '../../src/db/connection/connection.ts'
import { requiredEnv } from './environment.ts'
import { share } from './kept.ts'
import { readMigratedSchema } from './migrated-schema.ts'
import { asServiceAccount } from './service-account.ts'
import { readConfig } from '../../src/config/index.ts'
import type { SystemDeps } from '../../src/deps/deps.ts'
import { createLog } from '../../src/deps/log.ts'
import { createMetrics } from '../../src/deps/metrics.ts'
import { FilterCache } from '../../src/domain/webhook/filter/cache.ts'
import { lazyTemporalClient } from '../../src/process/temporal/client.ts'
import { createAuthParts, type AuthParts } from '../../src/api/auth/authenticate.ts'

export type TestDatabase = {
  /** The administrator's URL. */
  readonly url: string
  /** The URL for the account that api and worker use in production. Without this account they use `url`. */
  readonly serviceUrl?: string
  readonly db: SystemDb
  readonly batchDb: SystemDb
  drop(): Promise<void>
}

/** Makes a migrated database on the server that `npm test` started. `drop` removes it. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const serverUrl = requiredEnv('TEST_DATABASE_URL')
  const url = new URL(serverUrl)
  url.pathname = `/t_${randomBytes(6).toString('hex')}`
  await createMigrated(serverUrl, url.pathname.slice(1))
  return { ...connectTo(url.href), serviceUrl: await asServiceAccount(url.href) }
}

function connectTo(url: string): TestDatabase {
  const db = connect(url)
  const batchDb = connect(url, { severalStatements: true, lockWaitS: 1 })
  return {
    url,
    db,
    batchDb,
    async drop() {
      await db.raw('DROP DATABASE ??', [new URL(url).pathname.slice(1)])
      await Promise.all([db.destroy(), batchDb.destroy()])
    },
  }
}

/** Returns what a hook has made. @throws Error when no hook has run yet */
export function here<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('it is there inside tests only')
  return value
}

/** The URLs of this process's free empty databases, kept because making one costs more than most blocks' tests. */
const idleDatabases = () =>
  share('idle databases', () => {
    const urls: string[] = []
    return Promise.resolve({ urls, stop: () => dropAll(urls.splice(0)) })
  })

/**
 * Gives the surrounding `describe` its own database, empty at the beginning. Read it inside tests.
 *
 * @param isAltered the tests change tables, so no other block gets the database afterwards
 */
export function useDatabase({ isAltered = false } = {}): Omit<TestDatabase, 'drop' | 'serviceUrl'> {
  let database: TestDatabase | undefined
  before(async () => {
    const url = isAltered ? undefined : (await idleDatabases()).urls.pop()
    database = url === undefined ? await createTestDatabase() : connectTo(url)
  })
  after(() => (isAltered ? database?.drop() : database && handBack(database)))
  return {
    get url() {
      return here(database).url
    },
    get db() {
      return here(database).db
    },
    get batchDb() {
      return here(database).batchDb
    },
  }
}

/** Ends the connections first, so that leftover work of one block writes nothing during the next. */
async function handBack({ url, db, batchDb }: TestDatabase): Promise<void> {
  await Promise.all([db.destroy(), batchDb.destroy()])
  const own = connect(url, { severalStatements: true, poolSize: 1 })
  try {
    await emptyTables(own)
  } finally {
    await own.destroy()
  }
  const { urls } = await idleDatabases()
  urls.push(url)
}

async function dropAll(urls: readonly string[]): Promise<void> {
  for (const url of urls) await connectTo(url).drop()
}

/** A table with more rows than this is created again, which also drops the server's statistics about its rows. */
const FEW_ROWS = 500

async function emptyTables(db: SystemDb): Promise<void> {
  const [tables] = (await db.raw('SHOW TABLES')) as [object[]]
  const names = tables
    .map((row) => Object.values(row)[0] as string)
    .filter((name) => !name.startsWith('knex_'))
  const counts = names.map(
    (name) =>
      `SELECT '${name}' AS name, COUNT(*) AS found FROM (SELECT 1 FROM ${name} LIMIT ${FEW_ROWS}) some`,
  )
  const [found] = (await db.raw(counts.join(' UNION ALL '))) as [{ name: string; found: number }[]]
  const written = found.filter(({ found }) => found > 0)
  const ways = written.map(({ name, found }) => `${found < FEW_ROWS ? 'DELETE FROM' : 'TRUNCATE'} ${name}`)
  await db.raw(['SET foreign_key_checks = 0', ...ways].join('; '))
}

async function createMigrated(serverUrl: string, name: string): Promise<void> {
  const schema = await readMigratedSchema()
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

/** The context of the operations on the test's own database. No worker runs there, so the doorbell rings nobody. */
export function testDeps(
  { url, db, batchDb = db }: { readonly url: string; readonly db: SystemDb; readonly batchDb?: SystemDb },
  environment: Record<string, string> = {},
): SystemDeps {
  const config = readConfig({
    DATABASE_URL: url,
    SECRETS_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    LOG_LEVEL: 'silent',
    ...environment,
  })
  return {
    config,
    db,
    batchDb,
    publishDb: batchDb,
    temporal: lazyTemporalClient(config),
    log: createLog('test', config.logLevel),
    metrics: createMetrics({ perCompany: config.metricsPerCompany }),
    clock: () => new Date(),
    databaseClock: { now: () => new Date() },
    doorbell: { ring: () => undefined, close: () => undefined },
    feedBell: { ring: () => undefined, close: () => undefined },
    filters: new FilterCache(),
  }
}

/** The context of the operations on the database of a stack, with the settings of its processes. */
export const stackDeps = (
  { environment, db }: { readonly environment: Record<string, string>; readonly db: SystemDb },
  more: Record<string, string> = {},
): SystemDeps => testDeps({ url: environment['DATABASE_URL'] ?? '', db }, { ...environment, ...more })

/** The context for describing routes. It has no database. */
export const depsWithoutDatabase = (environment?: Record<string, string>): SystemDeps =>
  testDeps({ url: 'mysql://nobody:none@127.0.0.1/none', db: null as unknown as SystemDb }, environment)

/** Authentication that does not count the use of keys, so no write is pending when a test ends. */
export const authWithoutUsage = (deps: SystemDeps): AuthParts => ({
  ...createAuthParts(deps),
  usage: { record: () => undefined, recordResponse: () => undefined },
})
