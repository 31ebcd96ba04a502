import { dueCommands, untilNothingIsDue, untilWorkflowsEnded } from '../settle.mjs'
import { Account } from './account.mjs'
import { compareCounters, compareDeliveries } from './deliveries.mjs'
import { compareEvents, compareSubscribers } from './events.mjs'
import { compareRecoveries } from './recoveries.mjs'
import { compareAttempts, compareRequests } from './requests.mjs'
import { readRows } from './rows.mjs'
import { compareWorkflows, connectTemporal, leftOver } from './workflows.mjs'

/**
 * @typedef {Omit<import('./account.mjs').Known, 'rows'>} Observed
 * @typedef {{ account: Account, ends: Record<string, number>, duplicates: number, settleMs: number,
 *   events: number, deliveries: number, attempts: number }} Result
 */

/**
 * Waits until nothing is due, and compares ledger, receivers' record, database and Temporal.
 *
 * @param {NodeJS.ProcessEnv} env of the service
 * @param {Observed} observed
 * @returns {Promise<Result>}
 */
export async function settleAndCompare(env, observed) {
  const { connect } = await import('../../../src/db/connection/connection.ts')
  const db = connect(env.DATABASE_URL ?? '')
  const temporal = await connectTemporal(env.TEMPORAL_ADDRESS ?? '')
  try {
    const startedMs = performance.now()
    await untilNothingIsDue(db)
    await untilWorkflowsEnded(async () => leftOver(await temporal.findRunning(), await openIds(db)))
    const settleMs = performance.now() - startedMs
    const rows = await readRows(db)
    const account = new Account()
    const known = { ...observed, rows }
    account.disagreements.push(...observed.ledger.contradictions)
    compareEvents(account, known)
    compareSubscribers(account, known)
    const ends = compareDeliveries(account, known)
    compareRecoveries(account, known)
    compareRequests(account, known)
    const duplicates = compareAttempts(account, known)
    await compareCounters(account, known, db)
    for (const row of await dueCommands(db).select('o.*'))
      account.disagree(`the outbox still has a row ${row.kind} of ${row.subject_id}`, row)
    compareWorkflows(account, known, await temporal.findRunning())
    const attempts = rows.deliveries.reduce((sum, { log }) => sum + log.length, 0)
    const counts = { events: rows.events.length, deliveries: rows.deliveries.length, attempts }
    return { account, ends, duplicates, settleMs, ...counts }
  } finally {
    await Promise.all([db.destroy(), temporal.close()])
  }
}

/** @param {import('knex').Knex} db @returns {Promise<Set<string>>} of deliveries and recoveries */
async function openIds(db) {
  const deliveries = await db('deliveries').whereIn('status', ['pending', 'retrying']).pluck('id')
  return new Set([...deliveries, ...(await db('recoveries').where({ state: 'running' }).pluck('id'))])
}
