import { fillRows, idOf } from './other-database.mjs'

const LONG_AGO = 'NOW(3) - INTERVAL 1 DAY'

/**
 * Inserts events whose deliveries to a webhook failed a day ago, one each 50 ms, and of which no workflow knows.
 *
 * @param {Pick<import('./stack.mjs').HostileStack, 'env'>} stack
 * @param {{ companyId: string, webhookId: string, count: number }} options count: up to 1,000,000
 */
export async function insertFailedDeliveries(stack, { companyId, webhookId, count }) {
  const createdAt = `${LONG_AGO} + INTERVAL n * 50 * 1000 MICROSECOND`
  await fillRows(stack, [
    `INSERT INTO events (company_id, environment, id, type, body, fingerprint, deliveries, remaining, created_at)
     SELECT '${companyId}', 'live', ${idOf('evt', 'n')}, 'contact.created', '{"data":{}}', UNHEX(SHA2(n, 256)), 1, 1, ${createdAt}
     FROM numbers WHERE n < ${count}`,
    `INSERT INTO deliveries (id, company_id, environment, webhook_id, event_id, event_type, status, attempts, max_attempts,
       created_at, closed_at, closed_reason, in_temporal)
     SELECT ${idOf('del', 'n')}, '${companyId}', 'live', '${webhookId}', ${idOf('evt', 'n')}, 'contact.created', 'failed', 0, 1,
       ${createdAt}, NOW(3), 'attempts_used', 0
     FROM numbers WHERE n < ${count}`,
    `INSERT INTO webhook_counters (webhook_id, shard, failed) VALUES ('${webhookId}', 200, ${count})`,
    'ANALYZE TABLE deliveries, events',
  ])
}
