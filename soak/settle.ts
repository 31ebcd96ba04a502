import { waitUntil } from '../lib/ready.mjs'

/** Longest wait until nothing is due. The longest parts of it: a lease of a killed worker, back-offs, a full schedule. */
const SETTLE_MS = 90_000
/** Longest wait until the workflows of closed deliveries have ended too. */
const WORKFLOWS_MS = 30_000
const INTERVAL_MS = 500

/**
 * Waits until nothing is due any more: open deliveries are parked, and the outbox is empty but for them. What is left
 * when the time is over is for the account.
 *
 * @param {import('knex').Knex} db
 * @returns {Promise<void>}
 */
export async function untilNothingIsDue(db) {
  const isDone = async () => {
    const due = await Promise.all([
      dueDeliveries(db).first('d.id'),
      dueCommands(db).first('o.id'),
      dueRecoveries(db).first('r.id'),
    ])
    return due.every((row) => !row)
  }
  await untilOrOver('The deliveries', isDone, SETTLE_MS)
}

/** @param {import('knex').Knex} db open deliveries that do not wait for the activation of their webhook */
const dueDeliveries = (db) =>
  db('deliveries as d')
    .join('webhooks as w', 'w.id', 'd.webhook_id')
    .whereIn('d.status', ['pending', 'retrying'])
    .whereRaw('NOT (d.parked_at IS NOT NULL AND w.is_active = 0 AND w.deleted_at IS NULL)')

/** @param {import('knex').Knex} db recoveries that do not wait for the activation of their webhook */
const dueRecoveries = (db) =>
  db('recoveries as r')
    .join('webhooks as w', 'w.id', 'r.webhook_id')
    .whereIn('r.state', ['queued', 'running'])
    .whereRaw('NOT (w.is_active = 0 AND w.deleted_at IS NULL)')

/** @param {import('knex').Knex} db outbox rows of anything but a parked delivery */
export const dueCommands = (db) =>
  db('outbox as o')
    .leftJoin('deliveries as d', 'd.id', 'o.subject_id')
    .whereRaw('(d.id IS NULL OR d.parked_at IS NULL)')

/**
 * Waits until Temporal has ended the workflows of all closed deliveries.
 *
 * @param {() => Promise<{ id: string }[]>} findLeftOver workflows that should have ended
 */
export const untilWorkflowsEnded = (findLeftOver) =>
  untilOrOver('The workflows', async () => (await findLeftOver()).length === 0, WORKFLOWS_MS)

/** @param {string} what @param {() => Promise<boolean>} isDone @param {number} timeoutMs */
const untilOrOver = (what, isDone, timeoutMs) =>
  waitUntil(what, isDone, { timeoutMs, intervalMs: INTERVAL_MS }).catch(() => undefined)
