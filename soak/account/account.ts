import type { Client } from '@temporalio/client'
import { waitUntil } from '../../scripts/lib/ready.ts'
import { readConfig } from '../../src/config/index.ts'
import { connect } from '../../src/db/connection/connection.ts'
import { lazyTemporalClient } from '../../src/process/temporal/client.ts'
import { WORKFLOW_TYPES } from '../../src/workflows/contract.ts'
import { findMiscounted } from '../../test/support/invariants.ts'
import type { Kill } from '../stack.ts'
import type { Parts } from '../webhooks.ts'
import { checkDeliveries, checkDue, checkRecoveries, checkWorkflows } from './deliveries.ts'
import { checkEvents, checkSubscribers } from './events.ts'
import { checkAttempts, checkRequests } from './requests.ts'
import { readRows, type Rows } from './rows.ts'

/**
 * How long to wait at most until nothing is due and workflows agree with rows. Most of it goes to the lease of a killed worker,
 * backoffs and a full retry schedule.
 */
const SETTLE = { timeoutMs: 120_000, intervalMs: 500 }

/** Everything that is compared. */
export type Known = Pick<Parts, 'ledger' | 'record' | 'webhooks'> & {
  readonly endpoints: Pick<Parts['endpoints'], 'spells'>
  readonly kills: readonly Kill[]
  readonly rows: Rows
  /** The workflows of deliveries and recoveries that have not ended. */
  readonly running: readonly { readonly id: string; readonly type: string }[]
}

/**
 * The kinds of findings.
 *
 * - `lost`: events and deliveries that were accepted and did not come to an end.
 * - `disagreements`: two who know do not say the same.
 * - `twice`: a request was answered 2xx although one before was.
 * - `explained`: a request came twice, or came and was not recorded, because a part was killed at that time.
 */
type Kind = 'lost' | 'disagreements' | 'twice' | 'explained'

/** What a check finds. `row`: what the database or the owner knows of it. */
export type Finding = readonly [kind: Kind, says: string, row?: unknown]

const CHECKS: readonly ((known: Known) => Iterable<Finding>)[] = [
  checkEvents,
  checkSubscribers,
  checkDeliveries,
  checkDue,
  checkRecoveries,
  checkRequests,
  checkAttempts,
  checkWorkflows,
]

/** Compares everything that is known except the counters. @returns lines for each kind of finding */
export function compareAll(known: Known) {
  const account: Record<Kind, string[]> = { lost: [], disagreements: [], twice: [], explained: [] }
  account.disagreements.push(...known.ledger.contradictions)
  for (const [kind, says, row] of CHECKS.flatMap((check) => [...check(known)]))
    account[kind].push(row === undefined ? says : `${says}: ${JSON.stringify(row)}`)
  return account
}

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
  async function isSettled(): Promise<boolean> {
    const running = await findRunning(temporal)
    const known = { running, rows: await readRows(db) }
    return [...checkDue(known), ...checkWorkflows(known)].length === 0
  }
  try {
    const startedMs = performance.now()
    // If the time is over, the account has what is left.
    await waitUntil('The account', isSettled, SETTLE).catch(() => undefined)
    const settleMs = performance.now() - startedMs
    const [running, rows] = [await findRunning(temporal), await readRows(db)]
    const account = compareAll({ ...observed, rows, running })
    const ids = rows.webhooks.map(({ id }) => id)
    for (const { webhookId, status, counted, rows: count } of await findMiscounted(db, ids, rows.deliveries))
      account.disagreements.push(
        `webhook ${webhookId} counts ${counted} ${status} deliveries and has ${count}`,
      )
    return { account, rows, settleMs }
  } finally {
    await Promise.all([db.destroy(), temporal.connection.close()])
  }
}

const { deliverWebhook, sendTest, recoverWebhook } = WORKFLOW_TYPES
const TYPES: readonly string[] = [deliverWebhook, sendTest, recoverWebhook]

/** Finds the workflows of deliveries and recoveries that have not ended. */
async function findRunning({ workflow }: Client): Promise<Known['running']> {
  const running = []
  for await (const { workflowId: id, type } of workflow.list({ query: "ExecutionStatus = 'Running'" }))
    if (TYPES.includes(type)) running.push({ id, type })
  return running
}
