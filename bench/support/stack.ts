import { apiClient } from '../../scripts/demo/http.mjs'
import { createReceiver } from '../../scripts/receiver/receiver.ts'
import type { Supervisor } from '../../scripts/lib/supervisor.ts'
import { cli, createKey } from '../../scripts/stack/company.ts'
import type { RunningService, ServiceKind } from '../../scripts/stack/services.ts'
import { makeDirectory, startStack } from '../../scripts/stack/stack.ts'
import { connect, type SystemDb } from '../../src/db/connection/connection.ts'
import { BUFFER_POOL_BYTES } from './fill.ts'

/** A client of the api. The answers have the fields that the benchmarks read. */
export type Api = (
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ status: number; data: ApiData; error?: { message: string } }>

type ApiData = {
  readonly id: string
  readonly status: string
  readonly queued: number
  readonly health: { readonly waiting: number }
  /** Of a list. */
  readonly length: number
}

/** A company with an admin:all key. */
export type BenchTenant = Awaited<ReturnType<typeof createTenant>>

async function createTenant(env: NodeJS.ProcessEnv, url: string) {
  const made = await createKey(env, 'admin:all')
  const api: Api = apiClient(url, made.key)
  return { ...made, api }
}

/** A migrated database, with a pool. */
export type BenchDatabase = {
  readonly env: NodeJS.ProcessEnv
  readonly databaseUrl: string
  readonly db: SystemDb
  readonly drop: () => Promise<unknown>
}

/** A fresh api on a database of its own: its memory is that of its row alone, and no worker delivers what it publishes. */
export type OtherApi = RunningService & BenchDatabase & { readonly tenant: () => Promise<BenchTenant> }

/** A service of its own on loopback: database, Temporal, api, workers, and a TLS receiver in this process. */
export type BenchStack = Awaited<ReturnType<typeof startBenchStack>>

type Options = {
  readonly settings?: NodeJS.ProcessEnv
  readonly workers?: number
  readonly keepsRequests?: boolean
}

/**
 * Starts a service on servers of its own. It ends with the supervisor.
 *
 * @param options keepsRequests: whether the receiver keeps what it got
 */
export async function startBenchStack(
  supervisor: Supervisor,
  { settings = {}, workers = 1, keepsRequests = true }: Options = {},
) {
  const dir = await makeDirectory(supervisor, 'bench-stack')
  const servers = await startStack(supervisor, { dir, settings })
  const { env, tls, temporal } = servers
  let count = 0
  const start = (kind: ServiceKind, more: NodeJS.ProcessEnv = {}) =>
    servers.start(kind, more, { name: `${kind}-${++count}` })
  const receiver = await createReceiver({ cert: tls.cert, key: tls.key, isKept: keepsRequests })
  const databaseUrl = env['DATABASE_URL'] ?? ''
  const db = connect(databaseUrl)
  await useLargeBufferPool(db)
  const api = await start('server')
  for (let n = 0; n < workers; n++) await start('worker')

  /** Creates and migrates another database on the server. The workers do not use it. */
  async function createDatabase(name: string): Promise<BenchDatabase> {
    const other = new URL(databaseUrl)
    other.pathname = `/${name}`
    const own = { ...env, DATABASE_URL: String(other) }
    await cli(['migrate'], own)
    const pool = connect(String(other))
    const drop = () => pool.raw('DROP DATABASE ??', [name]).then(() => pool.destroy())
    return { env: own, databaseUrl: String(other), db: pool, drop }
  }

  return {
    env,
    databaseUrl,
    db,
    receiver,
    temporalVersion: temporal.version,
    tenant: () => createTenant(env, api.url),
    startWorker: () => start('worker'),
    createDatabase,
    /** Runs the work with an api on a database of its own, without a worker. Both are removed afterwards. */
    async withOtherApi<T>(name: string, work: (other: OtherApi) => Promise<T>): Promise<T> {
      const database = await createDatabase(name)
      const other = await start('server', database.env)
      try {
        return await work({ ...other, ...database, tenant: () => createTenant(database.env, other.url) })
      } finally {
        await other.stop()
        await database.drop()
      }
    },
  }
}

/** Gives the server the memory that a production server would have for the data of a benchmark. */
export const useLargeBufferPool = (db: SystemDb, bytes = BUFFER_POOL_BYTES): Promise<unknown> =>
  Promise.resolve(db.raw('SET GLOBAL innodb_buffer_pool_size = ?', [bytes]))
