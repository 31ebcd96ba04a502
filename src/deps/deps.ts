import type { Client } from '@temporalio/client'
import type { Config } from '../config/index.ts'
import { connect, type Db, type SystemDb } from '../db/connection/connection.ts'
import { listFeedListeners } from '../db/event/feed.ts'
import { listWorkerAddresses } from '../db/workers.ts'
import { FilterCache } from '../domain/webhook/filter/cache.ts'
import { DatabaseClock } from './database-clock.ts'
import { Doorbell } from './doorbell.ts'
import { createLog, type Log } from './log.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import type { Traces } from './traces.ts'

export type { Hint } from './datagram.ts'

/** What the process gives to its parts: handles and settings, passed as the first argument, never imported. */
export type Deps = {
  readonly config: Config
  readonly db: Db
  /** Connections for writes that send several statements in one round trip; see inBatchTransaction. */
  readonly batchDb: Db
  /** Connections for publishes that have a transaction of their own; see inPublish. */
  readonly publishDb: Db
  readonly temporal: Client
  readonly log: Log
  readonly metrics: Metrics
  /** Absent where no traces are sent. */
  readonly traces?: Traces
  readonly clock: () => Date
  /** The clock for times that all processes must agree on. */
  readonly databaseClock: Pick<DatabaseClock, 'now'>
  readonly doorbell: Pick<Doorbell, 'ring' | 'close'>
  /** Rings the apis where clients wait for events. */
  readonly feedBell: Pick<Doorbell, 'ring' | 'close'>
  /** The filters of webhooks, compiled. */
  readonly filters: FilterCache
}

/**
 * Only the worker, authentication, sign-in, the operator's command line and the checks of a starting process get this,
 * because its handles may span tenants.
 */
export type SystemDeps = Deps & { readonly db: SystemDb; readonly batchDb: SystemDb }

/**
 * How long a process waits for the answer to a query, in milliseconds. The api has to answer 503 within 5 s. A worker
 * needs time left to record its attempt over another connection. An operator's command may take any time, but `status`
 * must answer even while the database hangs.
 */
function queryTimeoutMs(service: Service, { recordingTimeoutMs }: Config): number | undefined {
  const worker = Math.min(10_000, (recordingTimeoutMs * 2) / 3)
  return { api: 4_000, worker, cli: undefined, status: 3_000 }[service]
}

/**
 * A batch serves many callers, so it waits for a lock for at most 1 s. After that the recorder tries the batch once more, and
 * then each of its outcomes alone. Two batches may run at once: in a worker, one that records and one that claims.
 */
const BATCHES = { severalStatements: true, poolSize: 2, lockWaitS: 1 }

/**
 * A publish takes its places in the feed and commits, both in one round trip. Only publishes use these connections, so
 * that they delay no other request.
 */
const PUBLISHES = { severalStatements: true, poolSize: 6 }

/** A new event rings this many workers: the second one in case the first one has just died, or has no free slot. */
const WORKERS_RUNG = 2

type Service = 'api' | 'worker' | 'cli' | 'status'

/**
 * Wires the parts of a process. The database pool connects when it is first used. The caller passes the Temporal
 * client, because a worker needs one on a native connection: only such a client can start workflows eagerly. A part
 * that gets the result as `Deps` cannot span tenants.
 */
export function buildDeps(
  config: Config,
  service: Service,
  temporal: Client,
  log = createLog(service, config.logLevel),
): SystemDeps & { readonly databaseClock: DatabaseClock } {
  const settings = { tls: config.databaseTls, queryTimeoutMs: queryTimeoutMs(service, config) }
  const db = connect(config.databaseUrl, settings)
  const metrics = createMetrics({ perCompany: config.metricsPerCompany })
  const clock = () => new Date()
  const { secretsKeys } = config
  return {
    config,
    db,
    batchDb: connect(config.databaseUrl, { ...settings, ...BATCHES }),
    publishDb: connect(config.databaseUrl, { ...settings, ...PUBLISHES }),
    temporal,
    log,
    metrics,
    clock,
    databaseClock: new DatabaseClock({ db, log, metrics, clock }),
    doorbell: new Doorbell({
      secretsKeys,
      listAddresses: () => listWorkerAddresses(db),
      atMost: WORKERS_RUNG,
    }),
    feedBell: new Doorbell({ secretsKeys, listAddresses: () => listFeedListeners(db) }),
    filters: new FilterCache(),
  }
}

/** Ends all connections to the database. */
export const closeDatabase = ({ db, batchDb, publishDb }: Pick<Deps, 'db' | 'batchDb' | 'publishDb'>) =>
  Promise.all([db, batchDb, publishDb].map((pool) => pool.destroy()))
