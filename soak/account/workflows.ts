import type { Client } from '@temporalio/client'
import { isOpen } from '../../src/domain/delivery/delivery.ts'
import { WORKFLOW_TYPES } from '../../src/workflows/contract.ts'
import type { Account, Known } from './account.ts'
import type { RecoveryRow, Rows } from './rows.ts'

export type RunningWorkflow = { readonly id: string; readonly type: string }

const { deliverWebhook, sendTest, recoverWebhook } = WORKFLOW_TYPES
const TYPES: readonly string[] = [deliverWebhook, sendTest, recoverWebhook]

/** Finds the workflows of deliveries and recoveries that have not ended. */
export async function findRunning({ workflow }: Client): Promise<RunningWorkflow[]> {
  const running: RunningWorkflow[] = []
  for await (const { workflowId: id, type } of workflow.list({ query: "ExecutionStatus = 'Running'" }))
    if (TYPES.includes(type)) running.push({ id, type })
  return running
}

/** The delivery or recovery of a workflow. */
const targetOf = ({ id }: RunningWorkflow): string => id.replace(/^(test|recovery)\//, '')

/** The running workflows that should have ended, because their delivery is closed or their recovery is over. */
export function leftOver(
  running: readonly RunningWorkflow[],
  { deliveries, recoveries }: Rows,
): RunningWorkflow[] {
  const open = [...deliveries.filter(isOpen), ...recoveries.filter(isUnderWay)]
  const ids = new Set(open.map(({ id }) => id))
  return running.filter((workflow) => !ids.has(targetOf(workflow)))
}

const isUnderWay = ({ state }: RecoveryRow): boolean => state === 'running'

/** Compares workflows with deliveries and recoveries: an open one has a running workflow or is parked, a closed one has none. */
export function compareWorkflows(account: Account, { rows, running }: Known) {
  const targets = new Set(running.map(targetOf))
  const unparked = rows.deliveries.filter((delivery) => isOpen(delivery) && !delivery.parkedAt)
  for (const row of [...unparked, ...rows.recoveries.filter(isUnderWay)])
    if (!targets.has(row.id)) account.lose(`${row.id} is open, not parked, and has no running workflow`, row)
  for (const workflow of leftOver(running, rows)) {
    const delivery = rows.deliveries.find(({ id }) => id === targetOf(workflow))
    account.disagree(`the workflow ${workflow.id} (${workflow.type}) still runs`, delivery ?? 'no row')
  }
}
