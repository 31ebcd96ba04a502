import { waitUntil } from '../../scripts/lib/ready.ts'
import { readConfig } from '../../src/config/index.ts'
import { connect, type Db } from '../../src/db/connection/connection.ts'
import { lazyTemporalClient } from '../../src/process/temporal/client.ts'
import { Account, compareAll, type Known } from './account.ts'
import { compareCounters } from './deliveries.ts'
import { readRows } from './rows.ts'
import { findRunning, leftOver } from './workflows.ts'

/** Longest wait until nothing is due. The longest parts of it: a lease of a killed worker, back-offs, a full schedule. */
const SETTLE_MS = 90_000
/** Longest wait until the workflows of closed deliveries have ended too. */
const WORKFLOWS_MS = 30_000
const INTERVAL_MS = 500

export type Result = Awaited<ReturnType<typeof settleAndCompare>>

/**
 * Waits until nothing is due and the workflows of what is closed have ended. Then compares ledger, receivers' record,
 * database and Temporal.
 *
 * @param env of the service
 */
export async function settleAndCompare(env: NodeJS.ProcessEnv, observed: Omit<Known, 'rows'>) {
  const config = readConfig(env)
  const db = connect(config.databaseUrl)
  const temporal = lazyTemporalClient(config)
  try {
    const startedMs = performance.now()
    await untilOrOver('The deliveries', SETTLE_MS, async () => !(await isAnythingDue(db)))
    const findLeft = async () => leftOver(await findRunning(temporal), await readRows(db))
    await untilOrOver('The workflows', WORKFLOWS_MS, async () => (await findLeft()).length === 0)
    const settleMs = performance.now() - startedMs
    const rows = await readRows(db)
    const account = new Account()
    const known = { ...observed, rows }
    account.disagreements.push(...observed.ledger.contradictions)
    const { ends, duplicates } = compareAll(account, known, await findRunning(temporal))
    await compareCounters(account, known, db)
    for (const row of await dueCommands(db).select<{ kind: string; subject_id: string }[]>('o.*'))
      account.disagree(`the outbox still has a row ${row.kind} of ${row.subject_id}`, row)
    const attempts = rows.deliveries.reduce((sum, { log }) => sum + log.length, 0)
    return { account, ends, duplicates, settleMs, events: rows.events.length, attempts }
  } finally {
    await Promise.all([db.destroy(), temporal.connection.close()])
  }
}

/** Whether a webhook `w` is there and inactive: what is open for it may wait. */
const AWAITS_ACTIVATION = 'w.is_active = 0 AND w.deleted_at IS NULL'

/** Whether there are open deliveries or recoveries that do not wait for their webhook, or commands of others. */
async function isAnythingDue(db: Db): Promise<boolean> {
  const withWebhook = (table: string) => db(`${table} as x`).join('webhooks as w', 'w.id', 'x.webhook_id')
  const queries = [
    withWebhook('deliveries')
      .whereIn('x.status', ['pending', 'retrying'])
      .whereRaw(`NOT (x.parked_at IS NOT NULL AND ${AWAITS_ACTIVATION})`),
    withWebhook('recoveries')
      .whereIn('x.state', ['queued', 'running'])
      .whereRaw(`NOT (${AWAITS_ACTIVATION})`),
    dueCommands(db),
  ]
  const due = await Promise.all(queries.map((query) => query.limit(1).select(db.raw('1'))))
  return due.flat().length > 0
}

/** Outbox rows of anything but a parked delivery. */
const dueCommands = (db: Db) =>
  db('outbox as o')
    .leftJoin('deliveries as d', 'd.id', 'o.subject_id')
    .whereRaw('(d.id IS NULL OR d.parked_at IS NULL)')

/** Waits until it is done; what is left when the time is over is for the account. */
const untilOrOver = (what: string, timeoutMs: number, isDone: () => Promise<boolean>): Promise<void> =>
  waitUntil(what, isDone, { timeoutMs, intervalMs: INTERVAL_MS }).catch(() => undefined)
