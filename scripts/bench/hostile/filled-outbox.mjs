import { createDatabase, fillRows, idOf } from './other-database.mjs'

/** @typedef {import('./other-database.mjs').OtherDatabase} OtherDatabase */

/**
 * Creates a database in which very many deliveries wait for a slot. All of them are long overdue, and each has its row in
 * the outbox. Others are parked under inactive webhooks.
 *
 * @param {import('./stack.mjs').HostileStack} stack
 * @param {{ name: string, waiting: number, queues: number, parked: number }} options waiting, parked: deliveries, up to
 *   1,000,000 together; queues: queues that the waiting ones are spread over, each a webhook
 * @returns {Promise<OtherDatabase>}
 */
export async function createFilledOutbox(stack, { name, waiting, queues, parked }) {
  const database = await createDatabase(stack, name)
  await fillRows(database, [
    webhooks(),
    deliveries(waiting, queues, parked),
    outbox(waiting, queues),
    'ANALYZE TABLE outbox, deliveries, webhooks',
  ])
  return database
}

const COMPANIES = 100
const PARKED_WEBHOOKS = 1_000
const companyOf = (/** @type {string} */ number) => idOf('com', `${number} % ${COMPANIES}`)
const LONG_AGO = 'NOW(3) - INTERVAL 1 HOUR'

const webhooks = () => `
  INSERT INTO webhooks (id, company_id, environment, name, url, secret_sealed, is_active, max_retries, created_at, updated_at)
  SELECT ${idOf('whk', "CONCAT('parked', n)")}, ${companyOf('n')}, 'live', 'parked', 'https://example.com/', 'x', 0, 5, NOW(3), NOW(3)
  FROM numbers WHERE n < ${PARKED_WEBHOOKS}`

/** One statement: MariaDB fills an empty table many times as fast as one that has rows. */
const deliveries = (
  /** @type {number} */ waiting,
  /** @type {number} */ queues,
  /** @type {number} */ parked,
) => `
  INSERT INTO deliveries (id, company_id, environment, webhook_id, event_id, event_type, status, attempts, max_attempts,
    created_at, next_retry_at, wake_at, parked_at)
  SELECT ${idOf('del', 'n')}, ${companyOf('n')}, 'live',
    IF(n < ${waiting}, ${idOf('whk', `n % ${queues}`)}, ${idOf('whk', `CONCAT('parked', n % ${PARKED_WEBHOOKS})`)}),
    ${idOf('evt', 'n')}, 'contact.created', 'retrying', 1, 6, ${LONG_AGO}, ${LONG_AGO},
    IF(n < ${waiting}, ${LONG_AGO}, NULL), IF(n < ${waiting}, NULL, ${LONG_AGO})
  FROM numbers WHERE n < ${waiting + parked}`

const outbox = (/** @type {number} */ waiting, /** @type {number} */ queues) => `
  INSERT INTO outbox (kind, subject_id, company_id, lane, available_at, created_at)
  SELECT 'due', ${idOf('del', 'n')}, ${companyOf('n')}, CONCAT(${idOf('whk', `n % ${queues}`)}, '+'), ${LONG_AGO}, ${LONG_AGO}
  FROM numbers WHERE n < ${waiting}`
