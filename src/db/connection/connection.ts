import knexModule, { type Knex } from 'knex'
import type { Connection } from 'mysql2'
import { connectionOptions, type DatabaseTls } from './options.js'
import { isReadOnly, isRetryable } from '../../domain/database-errors.js'
import { guardQueries, isUsable } from './query-guard.js'

const { knex } = knexModule

/** The database handle: a pool, or a transaction of it. */
export type Db = Knex

/** One fixed list for both servers; it forbids zero dates, cut values and loose grouping. */
const SQL_MODE =
  'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'

/** A query may not run longer than this: a hung database answers as 503 and not as silence. */
const STATEMENT_TIMEOUT_S = 30

/** Share of their life by which connections differ, so that those opened together are not replaced together. */
const LIFETIME_JITTER = 0.1

type Settings = {
  /** By default in clear; the configuration decides (config.ts). */
  readonly tls?: DatabaseTls | undefined
  readonly poolSize?: number
  readonly acquireTimeoutMs?: number
  /** How long to wait for the answer to a query; by default as long as it takes. */
  readonly queryTimeoutMs?: number | undefined
  /**
   * The pool gives out no connection that is older. New ones follow a name that moved to another server and meet new
   * passwords and certificates.
   */
  readonly connectionLifetimeMs?: number
}

/** Opens a pool on `mysql://user:password@host:port/database`. Connects lazily; end it with `destroy()`. */
export function connect(
  databaseUrl: string,
  {
    tls,
    poolSize = 16,
    acquireTimeoutMs = 3_000,
    queryTimeoutMs,
    connectionLifetimeMs = 600_000,
  }: Settings = {},
): Db {
  return knex({
    client: 'mysql2',
    connection: connectionOptions(databaseUrl, tls),
    acquireConnectionTimeout: acquireTimeoutMs,
    // knex would print what it also throws; whoever catches it logs it.
    log: { warn: ignore, error: ignore, deprecate: ignore, debug: ignore },
    pool: {
      min: 0,
      max: poolSize,
      validate: isUsable,
      maxConnectionLifetimeMillis: connectionLifetimeMs * (1 - LIFETIME_JITTER),
      maxConnectionLifetimeJitterMillis: connectionLifetimeMs * LIFETIME_JITTER,
      afterCreate: (connection: Connection, done: (error: Error | null, connection: Connection) => void) => {
        guardQueries(connection, queryTimeoutMs)
        prepareSession(connection).then(
          () => done(null, connection),
          (error: unknown) => done(error as Error, connection),
        )
      },
    },
  })
}

const ignore = () => undefined

/**
 * Nobody waits longer for a lock, so that a transaction whose caller has given up does not hold its own locks on for as
 * long as it waits for another's.
 */
const LOCK_WAIT_S = 3

/**
 * UTC, one sql_mode, READ COMMITTED, and a limit on statements that each server kind names differently. MySQL's limits
 * SELECTs alone; there a write ends with its lock wait time-out, and its caller stops waiting after `queryTimeoutMs`.
 */
async function prepareSession(connection: Connection): Promise<void> {
  const run = (sql: string) =>
    new Promise<unknown>((resolve, reject) => {
      connection.query({ sql }, [], (error, rows) => (error ? reject(error) : resolve(rows)))
    })
  await run(`SET time_zone = '+00:00', sql_mode = '${SQL_MODE}', innodb_lock_wait_timeout = ${LOCK_WAIT_S}`)
  await run('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED')
  const rows = (await run('SELECT VERSION() AS version')) as { version: string }[]
  const isMariaDb = rows[0]?.version.includes('MariaDB') ?? false
  await run(
    isMariaDb
      ? `SET SESSION max_statement_time = ${STATEMENT_TIMEOUT_S}`
      : `SET SESSION max_execution_time = ${STATEMENT_TIMEOUT_S * 1000}`,
  )
}

/**
 * Runs the work in a transaction and starts over on a deadlock or lock time-out, 5 times at most. The work must
 * therefore do nothing outside the database that it may not do twice.
 */
export async function inTransaction<T>(db: Db, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction(work)
    } catch (error) {
      if (tries >= 5 || !isRetryable(error)) throw error
    }
  }
}

/** Whether the database answers; throws when it does not. */
export async function isAnswering(db: Db): Promise<boolean> {
  await db.select(db.raw('1'))
  return true
}

/**
 * Whether the database takes writes, by a statement that deletes nothing. Why not by its variables: there are four, each
 * server kind has others, and only a refused write makes the pool replace a connection that leads to a former primary.
 *
 * @throws what the database says when it does not answer
 */
export async function isWritable(db: Db): Promise<boolean> {
  try {
    await db('workers').where({ id: '' }).delete()
    return true
  } catch (error) {
    if (isReadOnly(error)) return false
    throw error
  }
}

/**
 * Whether a commit that was answered survives a crash of the database's machine: the server writes its log to disk
 * before it answers.
 */
export async function keepsEveryCommit(db: Db): Promise<boolean> {
  const row = await db
    .select(db.raw('@@innodb_flush_log_at_trx_commit AS flush'))
    .first<{ flush: number | string } | undefined>()
  return Number(row?.flush) === 1
}
