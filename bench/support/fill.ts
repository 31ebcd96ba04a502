import { createConnection } from 'mysql2/promise'
import type { SystemDb } from '../../src/db/connection/connection.ts'

/*
 * Makes very many rows in a few statements: src has no call that makes a million deliveries in a minute. SQL expressions may use
 * `n`, the number of the row from 0.
 */

/** Gives the server the memory that a production server would have for the data of a benchmark, in GiB. */
export const useLargeBufferPool = (db: SystemDb, gib = 1): Promise<unknown> =>
  Promise.resolve(db.raw('SET GLOBAL innodb_buffer_pool_size = ?', [gib * 1024 ** 3]))

/** Runs statements that make rows, on a connection without the limits of the service. */
export async function fillRows(databaseUrl: string, statements: readonly string[]): Promise<void> {
  const connection = await createConnection({ uri: databaseUrl, timezone: 'Z' })
  const numbers = Array.from({ length: 10_000 }, (_, n) => `(${n})`).join(', ')
  await connection.query('CREATE TABLE IF NOT EXISTS bench_numbers (n INT NOT NULL PRIMARY KEY)')
  await connection.query(`INSERT IGNORE INTO bench_numbers VALUES ${numbers}`)
  await connection.query("SET time_zone = '+00:00', unique_checks = 0, foreign_key_checks = 0")
  for (const statement of statements) await connection.query(statement)
  await connection.query('DROP TABLE bench_numbers')
  await connection.end()
}

/** The rows of a `SELECT … FROM` with `n` from 0 to below the count, up to 10,000,000. */
const numbersBelow = (count: number): string =>
  `(SELECT a.n * 1000 + b.n AS n FROM bench_numbers a JOIN bench_numbers b ON b.n < 1000
    WHERE a.n < ${Math.ceil(count / 1000)}) AS numbers WHERE n < ${count}`

/** An id as scattered as a random one. @param number SQL */
export const idOf = (prefix: string, number = 'n'): string => dashed(prefix, hashOf(prefix, number))

/** An id that begins with a time, as those of the service do. @param createdAt SQL */
export const timedIdOf = (prefix: string, createdAt: string): string => {
  const time = `LPAD(LOWER(HEX(FLOOR(UNIX_TIMESTAMP(${createdAt}) * 1000))), 12, '0')`
  return dashed(prefix, `CONCAT(${time}, '7', INSERT(LEFT(${hashOf(prefix, 'n')}, 18), 4, 0, '8'))`)
}

const hashOf = (prefix: string, number: string) => `MD5(CONCAT('${prefix}', ${number}))`

/** @param digits SQL: 32 of them */
const dashed = (prefix: string, digits: string) =>
  `CONCAT('${prefix}_', ${[9, 14, 19, 24].reduce((sql, at) => `INSERT(${sql}, ${at}, 0, '-')`, digits)})`

/** Inserts rows whose columns are SQL expressions. */
export const insertInto = (table: string, count: number, columns: Readonly<Record<string, string>>): string =>
  `INSERT INTO ${table} (${Object.keys(columns).join(', ')})
   SELECT ${Object.values(columns).join(', ')} FROM ${numbersBelow(count)}`

/** What the rows of deliveries have, as SQL expressions. */
export type Deliveries = {
  readonly companyId: string
  readonly webhookId: string
  readonly createdAt: string
  readonly status: string
  readonly body: string
  /** The ids of events and deliveries. Without it they are scattered. */
  readonly ids?: (prefix: string) => string
  /** Further columns of `deliveries`. */
  readonly columns: Readonly<Record<string, string>>
}

/** Statements that insert `count` events, each with one delivery. The schema may be that of release 0.1.0. */
export function deliveriesOf(count: number, deliveries: Deliveries): string[] {
  const { companyId, webhookId, createdAt, status, body, columns, ids = idOf } = deliveries
  const common = { company_id: companyId, environment: "'live'", created_at: createdAt }
  const event = { id: ids('evt'), type: "'contact.created'", body, fingerprint: 'UNHEX(SHA2(n, 256))' }
  const sent = {
    id: ids('del'),
    webhook_id: webhookId,
    event_id: ids('evt'),
    event_type: "'contact.created'",
  }
  return [
    insertInto('events', count, { ...common, ...event, deliveries: '1', remaining: '1' }),
    insertInto('deliveries', count, { ...common, ...sent, status, max_attempts: '6', ...columns }),
  ]
}

/** A client of the api. The answers have the fields that the benchmarks read. */
export type Api = (
  method: string,
  path: string,
  body?: unknown,
) => Promise<{
  readonly status: number
  readonly data: { readonly id: string; readonly length: number }
  readonly error?: { readonly message: string }
  readonly pagination?: { readonly next_cursor: string | null }
  readonly search?: { readonly examined: number }
}>

/** Creates a webhook. @returns its id @throws Error when it is refused */
export async function createWebhook(api: Api, fields: object = {}): Promise<string> {
  const body = { name: 'benchmark', url: 'https://example.com/', events: ['contact.created'], ...fields }
  const { status, data, error } = await api('POST', '/api-v1-webhooks', body)
  if (status !== 201) throw new Error(`a webhook was answered with ${status}: ${error?.message}`)
  return data.id
}
