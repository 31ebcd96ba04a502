import { idOf } from './other-database.mjs'

/**
 * @param {{ companyId: string, count: number, type: string }} options type: the event that all of them subscribe to
 * @returns {string[]} statements for `fillRows` that make active webhooks
 */
export const webhooksOf = ({ companyId, count, type }) => [
  `INSERT INTO webhooks (id, company_id, environment, name, url, secret_sealed, is_active, max_retries, created_at, updated_at)
   SELECT ${idOf('whk', 'n')}, '${companyId}', 'live', 'one of many', 'https://example.com/', 'sealed', 1, 5, NOW(3), NOW(3)
   FROM numbers WHERE n < ${count}`,
  `INSERT INTO webhook_event_types (webhook_id, event_type, position, company_id, environment)
   SELECT ${idOf('whk', 'n')}, '${type}', 0, '${companyId}', 'live' FROM numbers WHERE n < ${count}`,
]
