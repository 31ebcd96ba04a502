import { fillRows, idOf } from './hostile/other-database.mjs'

const WEBHOOKS = 1_000
const COMPANIES = 100

/**
 * Fills an empty database with waiting deliveries of 1,000 webhooks. 6 of 10 wait for their next attempt. 3 are overdue and
 * have a row in the outbox. One is parked under an inactive webhook.
 *
 * @param {Record<string, string>} env with the database's URL
 * @param {number} count up to 1,000,000
 */
export const fillWaiting = (env, count) =>
  fillRows({ env }, [
    webhooks,
    deliveries(count),
    outbox(count),
    'ANALYZE TABLE outbox, deliveries, webhooks',
  ])

const companyOf = (/** @type {string} */ n) => idOf('com', `${n} % ${COMPANIES}`)
const webhookOf = (/** @type {string} */ n) => idOf('whk', `${n} % ${WEBHOOKS}`)
const LONG_AGO = 'NOW(3) - INTERVAL 1 HOUR'
/** The last digit of a webhook's number says what its deliveries wait for: the next attempt, a slot, or the activation. */
const isQueued = 'n % 10 BETWEEN 6 AND 8'
const isParked = 'n % 10 = 9'
/** The times differ, as they would. */
const spread = 'INTERVAL n % 3600 SECOND'

const webhooks = `
  INSERT INTO webhooks (id, company_id, environment, name, url, secret_sealed, is_active, max_retries, created_at, updated_at)
  SELECT ${webhookOf('n')}, ${companyOf('n')}, 'live', 'waiting', 'https://example.com/', 'x', NOT (${isParked}), 5, NOW(3), NOW(3)
  FROM numbers WHERE n < ${WEBHOOKS}`

const nextAt = `IF(${isQueued}, ${LONG_AGO} - ${spread}, NOW(3) + INTERVAL 1 HOUR + ${spread})`
const deliveries = (/** @type {number} */ count) => `
  INSERT INTO deliveries (id, company_id, environment, webhook_id, event_id, event_type, status, attempts, max_attempts,
    created_at, next_retry_at, wake_at, parked_at)
  SELECT ${idOf('del', 'n')}, ${companyOf('n')}, 'live', ${webhookOf('n')}, ${idOf('evt', 'n')}, 'contact.created', 'retrying', 1, 6,
    ${LONG_AGO} - ${spread}, ${nextAt}, IF(${isParked}, NULL, ${nextAt}), IF(${isParked}, ${LONG_AGO} - ${spread}, NULL)
  FROM numbers WHERE n < ${count}`

const outbox = (/** @type {number} */ count) => `
  INSERT INTO outbox (kind, subject_id, company_id, lane, available_at, created_at)
  SELECT 'due', ${idOf('del', 'n')}, ${companyOf('n')}, CONCAT(${webhookOf('n')}, '+'), ${LONG_AGO} - ${spread}, ${LONG_AGO}
  FROM numbers WHERE n < ${count} AND ${isQueued}`
