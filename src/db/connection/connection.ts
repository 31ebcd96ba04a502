import knexModule, { type Knex } from 'knex'
import type { Connection } from 'mysql2'
import { connectionOptions, type DatabaseTls } from './options.ts'
import { isRetryable } from './errors.ts'
import { guardQueries, isUsable, limitIdleness, sendQuery } from './query-guard.ts'

const { knex } = knexModule

/** The database handle: a pool, or a transaction of it. */
export type Db = Knex

declare const SPANS_TENANTS: unique symbol

/**
 * The handle for queries that span tenants. A query without a tenant takes a SystemDb, and a Db is not one. buildDeps opens
 * the pool, and hands a SystemDb only to the worker, authentication, sign-in and the operator's command line.
 */
export type SystemDb = Db & { readonly [SPANS_TENANTS]: true }

/** A transaction of a handle. The transaction of a SystemDb is a SystemDb. */
export type Transaction<Handle extends Db> = Knex.Transaction & (Handle extends SystemDb ? SystemDb : unknown)

/** One fixed list for MySQL and MariaDB. It forbids zero dates, truncated values and loose grouping. */
const SQL_MODE =
  'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'

/** The server ends a query after this many milliseconds. MySQL does so only for a SELECT. */
const STATEMENT_TIMEOUT_MS = 30_000

/** Lifetimes differ by up to this share, so that connections opened together are not replaced together. */
const LIFETIME_JITTER = 0.1

type Settings = {
  /** By default no TLS; src/config decides. */
  readonly tls?: DatabaseTls | undefined
  readonly poolSize?: number
  readonly acquireTimeoutMs?: number
  /**
   * The longest wait for the answer to a query, in milliseconds; by default unlimited. After this time the server ends
   * the query too.
   */
  readonly queryTimeoutMs?: number | undefined
  /**
   * The longest life of a connection, in milliseconds. The pool gives out no older one. A new connection follows a host
   * name that moved to another server, and uses new passwords and certificates.
   */
  readonly connectionLifetimeMs?: number
  /** Whether a query may hold several statements. Only `inBatchTransaction` and `runTogether` need that. */
  readonly severalStatements?: boolean
  /** The longest wait for a lock, in seconds. */
  readonly lockWaitS?: number
  /** The longest time without a statement in an open transaction, in seconds. */
  readonly idleS?: number
  /** For migrations: statements have no time limit, and `lockWaitS` also limits the wait for the metadata lock of a table. */
  readonly changesSchema?: boolean
}

/**
 * Opens a pool on `mysql://user:password@host:port/database`. It connects when it is first used; end it with `destroy()`.
 * Only this function makes a SystemDb, so only src/deps/deps.ts and src/db/schema.ts may import it.
 */
export function connect(
  databaseUrl: string,
  {
    tls,
    poolSize = 16,
    acquireTimeoutMs = 3_000,
    queryTimeoutMs,
    connectionLifetimeMs = 600_000,
    severalStatements = false,
    lockWaitS = LOCK_WAIT_S,
    changesSchema = false,
    idleS = changesSchema ? MIGRATION_IDLE_S : IDLE_S,
  }: Settings = {},
): SystemDb {
  return knex({
    client: 'mysql2',
    connection: { ...connectionOptions(databaseUrl, tls), multipleStatements: severalStatements },
    acquireConnectionTimeout: acquireTimeoutMs,
    // knex would also print the errors that it throws. The code that catches an error logs it.
    log: { warn: ignore, error: ignore, deprecate: ignore, debug: ignore },
    pool: {
      // One connection stays open while the pool is idle, so that the first request after a pause need not connect.
      min: 1,
      max: poolSize,
      validate: isUsable,
      maxConnectionLifetimeMillis: connectionLifetimeMs * (1 - LIFETIME_JITTER),
      maxConnectionLifetimeJitterMillis: connectionLifetimeMs * LIFETIME_JITTER,
      afterCreate: (connection: Connection, done: (error: Error | null, connection: Connection) => void) => {
        guardQueries(connection, queryTimeoutMs)
        prepareSession(connection, { lockWaitS, idleS, changesSchema, queryTimeoutMs }).then(
          () => done(null, connection),
          (error: unknown) => done(error as Error, connection),
        )
      },
    },
  }) as Db as SystemDb
}

const ignore = () => undefined

/**
 * The longest wait for a lock, in seconds. If the caller of a transaction has given up, the transaction must not keep its
 * own locks for long while it waits for another lock.
 */
const LOCK_WAIT_S = 3

/**
 * In seconds. Shorter than a lease of the default settings. Longer than a healthy process pauses between two
 * statements.
 */
const IDLE_S = 20
/** In seconds. A migration pauses between its tries, and must keep its GET_LOCK. */
const MIGRATION_IDLE_S = 28_800
/** MySQL ends a connection that is idle for too long. The pool replaces it after this share of that time. */
const REPLACED_AFTER = 0.75

/**
 * Prepares a new connection: UTC, one sql_mode, READ COMMITTED, and a time limit for statements, which MySQL and
 * MariaDB name differently. MySQL limits only SELECTs. On MySQL a write that waits for a lock ends after `lockWaitS`,
 * and the caller of any write waits for `queryTimeoutMs` at most. MariaDB also limits changes of the schema, which take
 * minutes on a large table, so migrations set no limit.
 *
 * The server also ends a transaction that sends no statement for `idleS`, because its client may be gone. MySQL ends
 * every connection that is idle for that long. So on MySQL the pool replaces idle connections earlier.
 */
async function prepareSession(
  connection: Connection,
  {
    lockWaitS,
    idleS,
    changesSchema,
    queryTimeoutMs = STATEMENT_TIMEOUT_MS,
  }: Required<Pick<Settings, 'lockWaitS' | 'idleS' | 'changesSchema'>> & Pick<Settings, 'queryTimeoutMs'>,
): Promise<void> {
  const run = (sql: string) => sendQuery(connection, sql)
  await run(`SET time_zone = '+00:00', sql_mode = '${SQL_MODE}', innodb_lock_wait_timeout = ${lockWaitS}`)
  await run('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED')
  const rows = (await run('SELECT VERSION() AS version')) as { version: string }[]
  const isMariaDb = rows[0]?.version.includes('MariaDB') ?? false
  const limitMs = changesSchema ? 0 : Math.floor(Math.min(queryTimeoutMs, STATEMENT_TIMEOUT_MS))
  await run(
    isMariaDb
      ? `SET max_statement_time = ${limitMs / 1000}, idle_transaction_timeout = ${idleS}`
      : `SET max_execution_time = ${limitMs}, wait_timeout = ${idleS}`,
  )
  if (!isMariaDb) limitIdleness(connection, idleS * REPLACED_AFTER * 1_000)
  if (changesSchema) await run(`SET SESSION lock_wait_timeout = ${lockWaitS}`)
}

/**
 * Runs the work in a transaction. After a deadlock, a lock time-out or a snapshot conflict it runs the work again, at
 * most 5 times in all. So what the work does outside the database must do no harm when it is done twice.
 */
export async function inTransaction<T, Handle extends Db>(
  db: Handle,
  work: (trx: Transaction<Handle>) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction((trx) => work(trx as Transaction<Handle>))
    } catch (error) {
      if (tries >= 5 || !isRetryable(error)) throw error
    }
  }
}
