import { readConfig } from '../../src/config/index.ts'
import { connect, type Db } from '../../src/db/connection/connection.ts'
import { lazyTemporalClient } from '../../src/process/temporal/client.ts'
import { dueCommands, untilNothingIsDue, untilWorkflowsEnded } from '../settle.ts'
import { Account, type Known } from './account.ts'
import { compareCounters, compareDeliveries } from './deliveries.ts'
import { compareEvents, compareSubscribers } from './events.ts'
import { compareRecoveries } from './recoveries.ts'
import { compareAttempts, compareRequests } from './requests.ts'
import { readRows } from './rows.ts'
import { compareWorkflows, findRunning, leftOver } from './workflows.ts'

export type Result = Awaited<ReturnType<typeof settleAndCompare>>

/**
 * Waits until nothing is due, and compares ledger, receivers' record, database and Temporal.
 *
 * @param env of the service
 */
export async function settleAndCompare(env: NodeJS.ProcessEnv, observed: Omit<Known, 'rows'>) {
  const config = readConfig(env)
  const db = connect(config.databaseUrl)
  const temporal = lazyTemporalClient(config)
  try {
    const startedMs = performance.now()
    await untilNothingIsDue(db)
    await untilWorkflowsEnded(async () => leftOver(await findRunning(temporal), await openIds(db)))
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
    for (const row of await dueCommands(db).select<{ kind: string; subject_id: string }[]>('o.*'))
      account.disagree(`the outbox still has a row ${row.kind} of ${row.subject_id}`, row)
    compareWorkflows(account, known, await findRunning(temporal))
    const attempts = rows.deliveries.reduce((sum, { log }) => sum + log.length, 0)
    return { account, ends, duplicates, settleMs, events: rows.events.length, attempts }
  } finally {
    await Promise.all([db.destroy(), temporal.connection.close()])
  }
}

/** Of deliveries and recoveries. */
async function openIds(db: Db): Promise<Set<string>> {
  const deliveries = db('deliveries').whereIn('status', ['pending', 'retrying'])
  const recoveries = db('recoveries').where({ state: 'running' })
  const ids = await Promise.all([deliveries, recoveries].map((open) => open.pluck<string[]>('id')))
  return new Set(ids.flat())
}
