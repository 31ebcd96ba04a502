import { build } from '../../scripts/build.mjs'
import { apiClient } from '../../scripts/demo/http.mjs'
import type { Supervisor } from '../../scripts/lib/supervisor.ts'
import { createKey } from '../../scripts/stack/company.ts'
import { startService } from '../../scripts/stack/services.ts'
import { makeDirectory, startDatabase } from '../../scripts/stack/stack.ts'
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
  /** Of a list. */
  readonly length: number
}

/** Builds the service, and starts a durable, migrated database of the benchmark's own. */
export async function startBenchDatabase(supervisor: Supervisor, name: string) {
  await build()
  const dir = await makeDirectory(supervisor, name)
  const env = await startDatabase(supervisor, dir)
  const databaseUrl = env['DATABASE_URL'] ?? ''
  const db = connect(databaseUrl)
  await useLargeBufferPool(db)
  return { dir, env, databaseUrl, db }
}

/** The same with an api, no worker, and a company with an admin:all key. */
export async function startBenchApi(supervisor: Supervisor, name: string) {
  const database = await startBenchDatabase(supervisor, name)
  const { env, dir } = database
  const { companyId, key } = await createKey(env, 'admin:all')
  const { url } = await startService(supervisor, { kind: 'server', env, logDir: dir })
  const api: Api = apiClient(url, key)
  return { ...database, companyId, key, url, api }
}

/** Creates a webhook. Gives its id. @throws Error when it is refused */
export async function createWebhook(api: Api, fields: object = {}): Promise<string> {
  const body = { name: 'benchmark', url: 'https://example.com/', events: ['contact.created'], ...fields }
  const { status, data, error } = await api('POST', '/api-v1-webhooks', body)
  if (status !== 201) throw new Error(`a webhook was answered with ${status}: ${error?.message}`)
  return data.id
}

/** Gives the server the memory that a production server would have for the data of a benchmark. */
export const useLargeBufferPool = (db: SystemDb, bytes = BUFFER_POOL_BYTES): Promise<unknown> =>
  Promise.resolve(db.raw('SET GLOBAL innodb_buffer_pool_size = ?', [bytes]))
