import { waitUntil } from '../scripts/lib/ready.mjs'
import type { Db } from '../src/db/connection/connection.ts'

/** Longest wait until nothing is due. The longest parts of it: a lease of a killed worker, back-offs, a full schedule. */
const SETTLE_MS = 90_000
/** Longest wait until the workflows of closed deliveries have ended too. */
const WORKFLOWS_MS = 30_000
const INTERVAL_MS = 500

/**
 * Waits until nothing is due any more: open deliveries are parked, and the outbox is empty but for them. What is left
 * when the time is over is for the account.
 */
export const untilNothingIsDue = (db: Db): Promise<void> =>
  untilOrOver('The deliveries', SETTLE_MS, async () => {
    const queries = [dueDeliveries(db), dueCommands(db), dueRecoveries(db)]
    const due = await Promise.all(queries.map((query) => query.limit(1).select(db.raw('1'))))
    return due.flat().length === 0
  })

/** Whether a webhook `w` is there and inactive: what is open for it may wait. */
const AWAITS_ACTIVATION = 'w.is_active = 0 AND w.deleted_at IS NULL'

/** Open deliveries that do not wait for the activation of their webhook. */
const dueDeliveries = (db: Db) =>
  db('deliveries as d')
    .join('webhooks as w', 'w.id', 'd.webhook_id')
    .whereIn('d.status', ['pending', 'retrying'])
    .whereRaw(`NOT (d.parked_at IS NOT NULL AND ${AWAITS_ACTIVATION})`)

/** Recoveries that do not wait for the activation of their webhook. */
const dueRecoveries = (db: Db) =>
  db('recoveries as r')
    .join('webhooks as w', 'w.id', 'r.webhook_id')
    .whereIn('r.state', ['queued', 'running'])
    .whereRaw(`NOT (${AWAITS_ACTIVATION})`)

/** Outbox rows of anything but a parked delivery. */
export const dueCommands = (db: Db) =>
  db('outbox as o')
    .leftJoin('deliveries as d', 'd.id', 'o.subject_id')
    .whereRaw('(d.id IS NULL OR d.parked_at IS NULL)')

/**
 * Waits until Temporal has ended the workflows of all closed deliveries.
 *
 * @param findLeftOver finds workflows that should have ended
 */
export const untilWorkflowsEnded = (findLeftOver: () => Promise<readonly unknown[]>): Promise<void> =>
  untilOrOver('The workflows', WORKFLOWS_MS, async () => (await findLeftOver()).length === 0)

const untilOrOver = (what: string, timeoutMs: number, isDone: () => Promise<boolean>): Promise<void> =>
  waitUntil(what, isDone, { timeoutMs, intervalMs: INTERVAL_MS }).catch(() => undefined)
