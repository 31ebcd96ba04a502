import { fillRows, idOf } from './other-database.mjs'

/**
 * Inserts events and their deliveries, which failed once and are due again in an hour, and of which no workflow knows.
 *
 * @param {import('./stack.mjs').HostileStack} stack
 * @param {{ companyId: string, webhookIds: readonly string[], each: number }} options each: deliveries of a webhook
 */
export async function insertOpenDeliveries({ env, db }, { companyId, webhookIds, each }) {
  const inAnHour = 'NOW(3) + INTERVAL 1 HOUR'
  const insert = (/** @type {string} */ webhookId) => `
    INSERT INTO deliveries (id, company_id, environment, webhook_id, event_id, event_type, status, attempts, max_attempts,
      created_at, next_retry_at, wake_at)
    SELECT ${idOf('del', `CONCAT('${webhookId}', n)`)}, '${companyId}', 'live', '${webhookId}', ${idOf('evt', 'n')},
      'contact.created', 'retrying', 1, 6, NOW(3), ${inAnHour}, ${inAnHour}
    FROM numbers WHERE n < ${each}`
  const events = `
    INSERT INTO events (company_id, environment, id, type, body, fingerprint, deliveries, remaining, created_at)
    SELECT '${companyId}', 'live', ${idOf('evt', 'n')}, 'contact.created', '{}', UNHEX(SHA2(n, 256)), ${webhookIds.length},
      ${webhookIds.length}, NOW(3)
    FROM numbers WHERE n < ${each}`
  await fillRows({ env, db }, [events, ...webhookIds.map(insert)])
}

/**
 * Queues the due deliveries of a webhook, a row for each that waits for a free slot. The relay does not claim them before
 * `letCommandsGo`.
 *
 * @param {import('./stack.mjs').HostileStack} stack
 * @param {string} webhookId
 */
export async function queueAll({ env, db }, webhookId) {
  const insert = `
    INSERT INTO outbox (kind, subject_id, company_id, lane, available_at, created_at)
    SELECT 'due', id, company_id, CONCAT(webhook_id, '+'), NOW(3) + INTERVAL 1 DAY, NOW(3)
    FROM deliveries WHERE webhook_id = '${webhookId}'`
  const makeDue = `UPDATE deliveries SET next_retry_at = NOW(3), wake_at = NOW(3) WHERE webhook_id = '${webhookId}'`
  await fillRows({ env, db }, [makeDue, insert])
}

/**
 * Keeps the relay from claiming the company's commands that nobody has claimed yet.
 *
 * @param {import('./stack.mjs').HostileStack} stack
 * @param {string} companyId
 * @returns {Promise<number>} how many were not held before
 */
export const holdCommands = ({ db }, companyId) =>
  commandsOf(db, companyId)
    .whereRaw('available_at < NOW(3) + INTERVAL 1 HOUR')
    .update({ available_at: db.raw('NOW(3) + INTERVAL 1 DAY') })

/**
 * @param {import('./stack.mjs').HostileStack} stack
 * @param {string} companyId
 * @returns {Promise<number>}
 */
export const letCommandsGo = ({ db }, companyId) =>
  commandsOf(db, companyId).update({ available_at: db.raw('NOW(3)') })

/** @param {import('knex').Knex} db @param {string} companyId */
const commandsOf = (db, companyId) => db('outbox').where({ company_id: companyId }).whereNull('lease_owner')
