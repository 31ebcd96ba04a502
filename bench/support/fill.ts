import { createConnection } from 'mysql2/promise'
import { formatDuration } from '../../scripts/lib/progress.ts'
import type { SystemDb } from '../../src/db/connection/connection.ts'
import { timed } from './figures.ts'

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
const timedIdOf = (prefix: string, createdAt: string): string => {
  const time = `LPAD(LOWER(HEX(FLOOR(UNIX_TIMESTAMP(${createdAt}) * 1000))), 12, '0')`
  return dashed(prefix, `CONCAT(${time}, '7', INSERT(LEFT(${hashOf(prefix, 'n')}, 18), 4, 0, '8'))`)
}

const hashOf = (prefix: string, number: string) => `MD5(CONCAT('${prefix}', ${number}))`

/** @param digits SQL: 32 of them */
const dashed = (prefix: string, digits: string) =>
  `CONCAT('${prefix}_', ${[9, 14, 19, 24].reduce((sql, at) => `INSERT(${sql}, ${at}, 0, '-')`, digits)})`

/** Inserts rows whose columns are SQL expressions. */
const insertInto = (table: string, count: number, columns: Readonly<Record<string, string>>): string =>
  `INSERT INTO ${table} (${Object.keys(columns).join(', ')})
   SELECT ${Object.values(columns).join(', ')} FROM ${numbersBelow(count)}`

/** SQL expressions, and the id of the company. */
type Deliveries = {
  readonly companyId: string
  readonly webhookId: string
  readonly createdAt: string
  readonly status: string
  readonly responseCode: string
  readonly body: string
  /** The ids of events and deliveries. Without it they are scattered. */
  readonly ids?: (prefix: string) => string
  /** Whether a delivery has had its attempt; by default each has. */
  readonly isAttempted?: string
  /** Further columns of `deliveries`. */
  readonly columns: Readonly<Record<string, string>>
}

/** Statements that insert `count` events, each with one delivery and its attempt. The schema may be that of release 0.1.0. */
export function deliveriesOf(count: number, deliveries: Deliveries): string[] {
  const { companyId, webhookId, createdAt, status, responseCode, body } = deliveries
  const { ids = idOf, isAttempted = 'TRUE', columns } = deliveries
  const common = { company_id: `'${companyId}'`, environment: "'live'", created_at: createdAt }
  const answer = { response_code: responseCode, response_body: "'ok'" }
  const events = insertInto('events', count, {
    ...common,
    id: ids('evt'),
    type: "'contact.created'",
    body,
    fingerprint: 'UNHEX(SHA2(n, 256))',
    deliveries: '1',
    remaining: '1',
  })
  const sent = insertInto('deliveries', count, {
    ...common,
    id: ids('del'),
    webhook_id: webhookId,
    event_id: ids('evt'),
    event_type: "'contact.created'",
    status,
    max_attempts: '6',
    attempts: isAttempted,
    request_duration_ms: '25',
    ...answer,
    ...columns,
  })
  const attempts = insertInto('attempts', count, {
    ...answer,
    delivery_id: ids('del'),
    number: '1',
    started_at: createdAt,
    duration_ms: '25',
    '`trigger`': "'scheduled'",
  })
  return [events, sent, `${attempts} AND ${isAttempted}`]
}

/** Age of the oldest delivery of `fillHistory`, in days. */
export const DAYS = 60
/** The number of notices: 70 webhooks make as many if they fail in every hour of these days. */
const NOTICES = 100_000
/** The first webhook gets this many of 10 deliveries. The others share the rest. */
const BUSY_SHARE = 6
/** Of 50 deliveries 46 succeeded, 2 failed, one waits for its retry and one is parked. */
const STATUS = `ELT(1 + LEAST(4, FLOOR(n / 10) % 50), 'retrying', 'pending', 'failed', 'failed', 'success')`

type History = { readonly companyId: string; readonly webhookIds: readonly string[]; readonly count: number }

/**
 * Fills in closed and open deliveries, each with an event of its own and, unless it is pending, an attempt. They come in
 * the order in which 60 days would have made them, with ids that begin with their times.
 *
 * @param history the first webhook is the busy one
 */
export async function fillHistory(databaseUrl: string, history: History): Promise<void> {
  const { companyId, webhookIds, count } = history
  const [busy, ...others] = webhookIds
  const receivers = Array.from({ length: 10 }, (_, n) => (n < BUSY_SHARE ? busy : others[n % others.length]))
  const beginning = `FROM_UNIXTIME(${Math.floor(Date.now() / 1000) - DAYS * 86_400})`
  const atStep = (of: number) =>
    `${beginning} + INTERVAL n * ${Math.floor((DAYS * 86_400e6) / of)} MICROSECOND`
  const createdAt = atStep(count)
  const ids = (prefix: string) => timedIdOf(prefix, createdAt)
  /** SQL of a value that only deliveries of these states have. */
  const onlyIf = (value: string, ...statuses: string[]) =>
    `IF(${STATUS} IN ('${statuses.join("', '")}'), ${value}, NULL)`
  const later = onlyIf('NOW(3) + INTERVAL 1 DAY', 'retrying')
  const deliveries = deliveriesOf(count, {
    companyId,
    webhookId: `ELT(1 + n % 10, ${receivers.map((id) => `'${id}'`).join(', ')})`,
    createdAt,
    ids,
    status: STATUS,
    responseCode: `CASE ${STATUS} WHEN 'success' THEN 200 WHEN 'pending' THEN NULL ELSE 500 END`,
    isAttempted: `${STATUS} <> 'pending'`,
    body: `CONCAT('{"id":"', ${ids('evt')}, '","event":"contact.created","data":{"name":"', REPEAT('a', 200), '"}}')`,
    columns: {
      delivered_at: onlyIf(createdAt, 'success'),
      closed_at: onlyIf(createdAt, 'success', 'failed'),
      next_retry_at: later,
      wake_at: later,
      parked_at: onlyIf(createdAt, 'pending'),
    },
  })
  const counters = `INSERT INTO webhook_counters (webhook_id, shard, pending, retrying, success, failed)
    SELECT webhook_id, 0, SUM(status = 'pending'), SUM(status = 'retrying'), SUM(status = 'success'), SUM(status = 'failed')
    FROM deliveries GROUP BY webhook_id`
  const notices = insertInto('notices', NOTICES, {
    id: idOf('ntc'),
    company_id: `'${companyId}'`,
    environment: "'live'",
    kind: "IF(n % 10, 'deliveries_failed', 'webhook_failing')",
    target_id: "CONCAT('whk_', n)",
    hour: atStep(NOTICES),
    total: '7',
    state: "'done'",
    created_at: atStep(NOTICES),
  })
  const analysis = 'ANALYZE TABLE events, deliveries, attempts, notices'
  const tookMs = await timed(() => fillRows(databaseUrl, [...deliveries, counters, notices, analysis]))
  console.log(`${count} deliveries filled in ${formatDuration(tookMs)}`)
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
