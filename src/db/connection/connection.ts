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
 * The handle of queries that span tenants: what takes no tenant takes a SystemDb. A Db is not one. buildDeps opens the
 * pool, and hands a SystemDb to the worker, authentication, sign-in and the operator's command line alone.
 */
export type SystemDb = Db & { readonly [SPANS_TENANTS]: true }

/** A transaction of a handle. That of a SystemDb is a SystemDb. */
export type Transaction<Handle extends Db> = Knex.Transaction & (Handle extends SystemDb ? SystemDb : unknown)

/** One fixed list for both servers; it forbids zero dates, truncated values and loose grouping. */
const SQL_MODE =
  'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'

/** The server ends a query that runs longer. */
const STATEMENT_TIMEOUT_MS = 30_000

/** Share by which the lifetimes of connections differ, so that those opened together are not replaced together. */
const LIFETIME_JITTER = 0.1

type Settings = {
  /** By default no TLS; src/config decides. */
  readonly tls?: DatabaseTls | undefined
  readonly poolSize?: number
  readonly acquireTimeoutMs?: number
  /** How long to wait for the answer to a query; by default without limit. The server ends it then too. */
  readonly queryTimeoutMs?: number | undefined
  /**
   * The pool gives out no connection that is older. New ones follow a host name that moved to another server, and check
   * new passwords and certificates.
   */
  readonly connectionLifetimeMs?: number
  /** Lets a query hold several statements, for `inBatchTransaction` alone. */
  readonly severalStatements?: boolean
  /** Longest wait for a lock, in seconds. */
  readonly lockWaitS?: number
  /** Longest time without a statement in an open transaction, in seconds. */
  readonly idleS?: number
  /** For migrations: no limit of a statement, and `lockWaitS` also limits the wait for the metadata lock of a table. */
  readonly changesSchema?: boolean
}

/**
 * Opens a pool on `mysql://user:password@host:port/database`. Connects lazily; end it with `destroy()`. The one place that
 * makes a SystemDb: only src/deps/deps.ts and src/db/schema.ts may import it.
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
    // knex would print errors that it also throws; the code that catches them logs them.
    log: { warn: ignore, error: ignore, deprecate: ignore, debug: ignore },
    pool: {
      // Kept when idle, so that the first request after a pause need not connect first.
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
 * Longest wait for a lock. A transaction whose caller has given up must not keep its own locks for long while it waits
 * for another's.
 */
const LOCK_WAIT_S = 3

/** Shorter than a lease by default, and longer than a process that is well pauses between two statements. */
const IDLE_S = 20
/** A migration pauses between its tries, and must keep its GET_LOCK. */
const MIGRATION_IDLE_S = 28_800
/** The pool of a MySQL replaces a connection that has idled for this part of the time after which the server ends it. */
const REPLACED_AFTER = 0.75

/**
 * Sets UTC, one sql_mode, READ COMMITTED, and a time limit for statements, which MySQL and MariaDB name differently.
 * MySQL limits only SELECTs. There the lock wait time-out ends a write, and its caller waits for `queryTimeoutMs`. MariaDB
 * also limits changes of the schema, which take minutes on a large table.
 *
 * The server also ends a transaction that gets no statement for `idleS`, because its client may be gone. MySQL ends any
 * connection that idles as long, so there the pool replaces those that idle in it before that.
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
 * Runs the work in a transaction and starts over on a deadlock or lock time-out, 5 times at most. So the work may run
 * several times: nothing that it does outside the database may harm when done twice.
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
