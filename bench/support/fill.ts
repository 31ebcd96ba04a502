import { createConnection } from 'mysql2/promise'
import type { apiClient } from '../../scripts/demo/http.mjs'
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

/** SQL expressions by column. */
type Columns = Readonly<Record<string, string>>

const insertInto = (table: string, count: number, columns: Columns): string =>
  `INSERT INTO ${table} (${Object.keys(columns).join(', ')})
   SELECT ${Object.values(columns).join(', ')} FROM ${numbersBelow(count)}`

type Delivery = Columns &
  Record<'company_id' | 'webhook_id' | 'created_at' | 'status' | 'response_code', string>
/** `body`: of the event; `ids`: scattered by default; `isAttempted`: whether it has had its attempt, by default all have. */
type Options = { readonly body: string; readonly ids?: typeof idOf; readonly isAttempted?: string }

/** Statements that insert `count` events, each with one delivery and its attempt. The schema may be that of release 0.1.0. */
export function deliveriesOf(count: number, delivery: Delivery, options: Options): string[] {
  const { company_id, created_at, response_code } = delivery
  const { body, ids = idOf, isAttempted = 'TRUE' } = options
  const common = { company_id, environment: "'live'", created_at }
  const answer = { response_code, response_body: "'ok'" }
  const event = {
    ...common,
    id: ids('evt'),
    type: "'contact.created'",
    body,
    fingerprint: 'UNHEX(SHA2(n, 256))',
    deliveries: '1',
    remaining: '1',
  }
  const sent = { event_id: event.id, event_type: event.type, max_attempts: '6', attempts: isAttempted }
  const row = { ...common, id: ids('del'), ...sent, request_duration_ms: '25', ...answer, ...delivery }
  const times = { started_at: created_at, duration_ms: '25' }
  const attempt = { delivery_id: row.id, number: '1', ...times, ...answer, '`trigger`': "'scheduled'" }
  return [
    insertInto('events', count, event),
    insertInto('deliveries', count, row),
    `${insertInto('attempts', count, attempt)} AND ${isAttempted}`,
  ]
}

/** Age of the oldest delivery of `fillHistory`, in days. */
export const DAYS = 60
/** The number of notices: 70 webhooks make as many if they fail in every hour of these days. */
const NOTICES = 100_000
/** The first webhook gets this many of 10 deliveries. The others share the rest. */
const BUSY_SHARE = 6
/** Of 50 deliveries 46 succeeded, 2 failed, one waits for its retry and one is parked. */
const STATUS = `ELT(1 + LEAST(4, FLOOR(n / 10) % 50), 'retrying', 'pending', 'failed', 'failed', 'success')`

/**
 * Fills in closed and open deliveries, each with an event of its own and, unless it is pending, an attempt. They come in
 * the order in which 60 days would have made them, with ids that begin with their times.
 *
 * @param webhookIds the first one is the busy one
 */
export async function fillHistory(
  databaseUrl: string,
  company: string,
  webhookIds: readonly string[],
  count: number,
): Promise<void> {
  const [busy, ...others] = webhookIds
  const receivers = Array.from({ length: 10 }, (_, n) => (n < BUSY_SHARE ? busy : others[n % others.length]))
  const beginning = `FROM_UNIXTIME(${Math.floor(Date.now() / 1000) - DAYS * 86_400})`
  const atStep = (of: number) =>
    `${beginning} + INTERVAL n * ${Math.floor((DAYS * 86_400e6) / of)} MICROSECOND`
  const [company_id, created_at] = [`'${company}'`, atStep(count)]
  const ids = (prefix: string) => timedIdOf(prefix, created_at)
  /** SQL of a value that only deliveries of these states have. */
  const onlyIf = (value: string, ...statuses: string[]) =>
    `IF(${STATUS} IN ('${statuses.join("', '")}'), ${value}, NULL)`
  const later = onlyIf('NOW(3) + INTERVAL 1 DAY', 'retrying')
  const delivery = {
    company_id,
    webhook_id: `ELT(1 + n % 10, ${receivers.map((id) => `'${id}'`).join(', ')})`,
    created_at,
    status: STATUS,
    response_code: `CASE ${STATUS} WHEN 'success' THEN 200 WHEN 'pending' THEN NULL ELSE 500 END`,
    delivered_at: onlyIf(created_at, 'success'),
    closed_at: onlyIf(created_at, 'success', 'failed'),
    next_retry_at: later,
    wake_at: later,
    parked_at: onlyIf(created_at, 'pending'),
  }
  const body = `CONCAT('{"id":"', ${ids('evt')}, '","event":"contact.created","data":{"name":"', REPEAT('a', 200), '"}}')`
  const deliveries = deliveriesOf(count, delivery, { body, ids, isAttempted: `${STATUS} <> 'pending'` })
  const counters = `INSERT INTO webhook_counters (webhook_id, shard, pending, retrying, success, failed)
    SELECT webhook_id, 0, SUM(status = 'pending'), SUM(status = 'retrying'), SUM(status = 'success'), SUM(status = 'failed')
    FROM deliveries GROUP BY webhook_id`
  const notices = insertInto('notices', NOTICES, {
    id: idOf('ntc'),
    company_id,
    environment: "'live'",
    kind: "IF(n % 10, 'deliveries_failed', 'webhook_failing')",
    target_id: "CONCAT('whk_', n)",
    hour: atStep(NOTICES),
    total: '7',
    state: "'done'",
    created_at: atStep(NOTICES),
  })
  const statements = [...deliveries, counters, notices, 'ANALYZE TABLE events, deliveries, attempts, notices']
  const tookMs = await timed(() => fillRows(databaseUrl, statements))
  console.log(`${count} deliveries filled in ${formatDuration(tookMs)}`)
}

export type Api = ReturnType<typeof apiClient>

/** Creates a webhook. @returns its id @throws Error when it is refused */
export async function createWebhook(api: Api, fields: object = {}): Promise<string> {
  const body = { name: 'benchmark', url: 'https://example.com/', events: ['contact.created'], ...fields }
  const answer = await api('POST', '/api-v1-webhooks', body)
  if (answer.status !== 201) throw new Error(`a webhook was answered with ${JSON.stringify(answer)}`)
  return (answer.data as { id: string }).id
}
