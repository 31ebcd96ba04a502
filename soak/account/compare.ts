import { waitUntil } from '../../scripts/lib/ready.ts'
import { readConfig } from '../../src/config/index.ts'
import { connect } from '../../src/db/connection/connection.ts'
import { lazyTemporalClient } from '../../src/process/temporal/client.ts'
import { findMiscounted } from '../../test/support/invariants.ts'
import { Account, compareAll, type Known } from './account.ts'
import { findDue, readRows, type Rows } from './rows.ts'
import { findRunning, leftOver } from './workflows.ts'

/** Longest wait until nothing is due. Most of it goes to the lease of a killed worker, backoffs and a full retry schedule. */
const SETTLE_MS = 90_000
/** Longest wait until the workflows of closed deliveries have ended too. */
const WORKFLOWS_MS = 30_000
const INTERVAL_MS = 500

export type Result = Awaited<ReturnType<typeof settleAndCompare>>

/**
 * Waits until nothing is due and the workflows of what is closed have ended. Then compares the ledger, the receivers'
 * record, the database and Temporal.
 *
 * @param env of the service
 */
export async function settleAndCompare(env: NodeJS.ProcessEnv, observed: Omit<Known, 'rows' | 'running'>) {
  const config = readConfig(env)
  const db = connect(config.databaseUrl)
  const temporal = lazyTemporalClient(config)
  try {
    const startedMs = performance.now()
    const isSettled = (rows: Rows) => Object.values(findDue(rows)).flat().length === 0
    await untilOrOver('The deliveries', SETTLE_MS, async () => isSettled(await readRows(db)))
    const findLeft = async () => leftOver(await findRunning(temporal), await readRows(db))
    await untilOrOver('The workflows', WORKFLOWS_MS, async () => (await findLeft()).length === 0)
    const settleMs = performance.now() - startedMs
    const [account, rows, running] = [new Account(), await readRows(db), await findRunning(temporal)]
    const { ends, duplicates } = compareAll(account, { ...observed, rows, running })
    const ids = rows.webhooks.map(({ id }) => id)
    for (const { webhookId, status, counted, rows: count } of await findMiscounted(db, ids, rows.deliveries))
      account.disagree(`webhook ${webhookId} counts ${counted} ${status} deliveries and has ${count}`)
    const attempts = rows.deliveries.reduce((sum, { log }) => sum + log.length, 0)
    return { account, ends, duplicates, settleMs, events: rows.events.length, attempts }
  } finally {
    await Promise.all([db.destroy(), temporal.connection.close()])
  }
}

/** Waits until it is done, or the time is over: the account then has what is left. */
const untilOrOver = (what: string, timeoutMs: number, isDone: () => Promise<boolean>): Promise<void> =>
  waitUntil(what, isDone, { timeoutMs, intervalMs: INTERVAL_MS }).catch(() => undefined)
