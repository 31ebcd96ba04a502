import type { SystemDb } from '../../src/db/connection/connection.ts'
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
