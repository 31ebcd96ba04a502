import { formatDuration } from '../lib/progress.mjs'

/** Rows of one statement, so that no transaction grows large. */
const BATCH = 10_000
const DAYS = 60
/** One for each hour and webhook of some 70 webhooks that fail all the time. */
const NOTICE_COUNT = 100_000
/** The first webhook has 6 of 10 deliveries, the others share the rest. */
const BUSY_SHARE = 6

/**
 * Fills in closed and open deliveries, each with an event of its own and, unless it is pending, an attempt. They come in
 * the order in which 60 days would have made them. Ids are hashes of their number: as scattered as random ones.
 *
 * @param {import('knex').Knex} db
 * @param {{ companyId: string, webhookIds: readonly string[], count: number }} options the first webhook is the busy one
 * @returns {Promise<void>}
 */
export async function fillDeliveries(db, { companyId, webhookIds, count }) {
  const startedMs = performance.now()
  const [busy, ...others] = webhookIds
  await db.raw('CREATE TABLE bench_numbers (n INT NOT NULL PRIMARY KEY)')
  await db('bench_numbers').insert(Array.from({ length: BATCH }, (_, n) => ({ n })))
  await db.raw('CREATE TABLE bench_webhooks (n INT NOT NULL PRIMARY KEY, id VARCHAR(64) NOT NULL)')
  const ids = Array.from({ length: 10 }, (_, n) =>
    n < BUSY_SHARE ? busy : others[(n - BUSY_SHARE) % others.length],
  )
  await db('bench_webhooks').insert(ids.map((id, n) => ({ n, id })))
  const beginning = new Date(Date.now() - DAYS * 86_400_000)
  const stepMicros = Math.floor((DAYS * 86_400_000_000) / count)
  for (let first = 0; first < count; first += BATCH) {
    const values = { companyId, first, last: Math.min(count, first + BATCH), beginning, stepMicros }
    for (const statement of [EVENTS, DELIVERIES, ATTEMPTS]) await db.raw(statement, values)
    if (first % 100_000 === 0)
      console.log(`  ${first} rows after ${formatDuration(performance.now() - startedMs)}`)
  }
  await db.raw(COUNTERS)
  const noticeStepMicros = Math.floor((stepMicros * count) / NOTICE_COUNT)
  await db.raw(NOTICES, { companyId, beginning, stepMicros: noticeStepMicros, count: NOTICE_COUNT })
  await db.raw('DROP TABLE bench_numbers, bench_webhooks')
  await db.raw('ANALYZE TABLE events, deliveries, attempts, notices')
  console.log(`${count} deliveries filled in ${formatDuration(performance.now() - startedMs)}`)
}

const uuidOf = (/** @type {string} */ salt) => {
  const hash = `MD5(CONCAT('${salt}', rows_of.n))`
  const parts = [
    `LEFT(${hash}, 8)`,
    `SUBSTR(${hash}, 9, 4)`,
    `SUBSTR(${hash}, 13, 4)`,
    `SUBSTR(${hash}, 17, 4)`,
  ]
  return `CONCAT_WS('-', ${[...parts, `RIGHT(${hash}, 12)`].join(', ')})`
}
const EVENT_ID = `CONCAT('evt_', ${uuidOf('event')})`
const DELIVERY_ID = `CONCAT('del_', ${uuidOf('delivery')})`
const CREATED = ':beginning + INTERVAL rows_of.n * :stepMicros MICROSECOND'
/** Of 50 deliveries 46 succeeded, 2 failed, one waits for its retry and one is parked. */
const STATUS = `ELT(1 + LEAST(4, FLOOR(rows_of.n / 10) % 50), 'retrying', 'pending', 'failed', 'failed', 'success')`
const ROWS = `(SELECT n + :first AS n FROM bench_numbers WHERE n + :first < :last) AS rows_of`

const EVENTS = `
  INSERT INTO events (company_id, environment, id, type, body, fingerprint, deliveries, remaining, created_at)
  SELECT :companyId, 'live', ${EVENT_ID}, 'contact.created',
    CONCAT('{"id":"', ${EVENT_ID}, '","event":"contact.created","data":{"name":"', REPEAT('a', 200), '"}}'),
    UNHEX(SHA2(rows_of.n, 256)), 1, 1, ${CREATED}
  FROM ${ROWS}`

const DELIVERIES = `
  INSERT INTO deliveries (id, company_id, environment, webhook_id, event_id, event_type, status, attempts, max_attempts,
    response_code, response_body, request_duration_ms, created_at, delivered_at, next_retry_at, wake_at, parked_at, closed_at)
  SELECT id, :companyId, 'live', webhook_id, event_id, 'contact.created', status, status <> 'pending', 6,
    ELT(FIELD(status, 'success', 'failed', 'retrying'), 200, 500, 500), 'ok', 25, created_at,
    IF(status = 'success', created_at, NULL), IF(status = 'retrying', NOW(3) + INTERVAL 1 DAY, NULL),
    IF(status = 'retrying', NOW(3) + INTERVAL 1 DAY, NULL), IF(status = 'pending', created_at, NULL),
    IF(status IN ('success', 'failed'), created_at, NULL)
  FROM (
    SELECT ${DELIVERY_ID} AS id, w.id AS webhook_id, ${EVENT_ID} AS event_id, ${STATUS} AS status, ${CREATED} AS created_at
    FROM ${ROWS} JOIN bench_webhooks AS w ON w.n = rows_of.n % 10
  ) AS made`

const ATTEMPTS = `
  INSERT INTO attempts (delivery_id, number, started_at, duration_ms, response_code, response_body, error, \`trigger\`)
  SELECT ${DELIVERY_ID}, 1, ${CREATED}, 25, IF(${STATUS} = 'success', 200, 500), 'ok', NULL, 'scheduled'
  FROM ${ROWS} WHERE ${STATUS} <> 'pending'`

const COUNTERS = `
  INSERT INTO webhook_counters (webhook_id, shard, pending, retrying, success, failed)
  SELECT webhook_id, 0, SUM(status = 'pending'), SUM(status = 'retrying'), SUM(status = 'success'), SUM(status = 'failed')
  FROM deliveries GROUP BY webhook_id`

const NOTICES = `
  INSERT INTO notices (id, company_id, environment, kind, target_id, hour, total, state, created_at)
  SELECT CONCAT('ntc_', ${uuidOf('notice')}), :companyId, 'live', IF(rows_of.n % 10, 'deliveries_failed', 'webhook_failing'),
    CONCAT('whk_', rows_of.n), ${CREATED}, 7, 'done', ${CREATED}
  FROM (SELECT a.n + 10000 * b.n AS n FROM bench_numbers a JOIN bench_numbers b ON b.n < :count / 10000) AS rows_of`
