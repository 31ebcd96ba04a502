import type { Client } from '@temporalio/client'
import { isOpen } from '../../src/domain/delivery/delivery.ts'
import { recoveryWorkflowId, WORKFLOW_TYPES } from '../../src/workflows/contract.ts'
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

/** Those that should have ended, because their delivery is closed or their recovery over. */
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
export function compareWorkflows(account: Account, { rows }: Known, running: readonly RunningWorkflow[]) {
  const ids = new Set(running.map(({ id }) => id))
  for (const delivery of rows.deliveries.filter(isOpen)) {
    if (!ids.has(delivery.id) && !delivery.isParked)
      account.lose(`delivery ${delivery.id} is open, not parked, and has no running workflow`, delivery)
  }
  for (const { id } of rows.recoveries.filter(isUnderWay))
    if (!ids.has(recoveryWorkflowId(id))) account.lose(`recovery ${id} runs, and has no running workflow`)
  const byId = new Map(rows.deliveries.map((delivery) => [delivery.id, delivery]))
  for (const workflow of leftOver(running, rows)) {
    const delivery = byId.get(targetOf(workflow))
    account.disagree(`the workflow ${workflow.id} (${workflow.type}) still runs`, delivery ?? 'no row')
  }
}
