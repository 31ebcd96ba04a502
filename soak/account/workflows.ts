import { isOpen } from './rows.mjs'

/** @typedef {{ id: string, type: string }} RunningWorkflow */

const TYPES = ['deliverWebhook', 'sendTest', 'recoverWebhook']

/**
 * Connects to Temporal.
 *
 * @param {string} address
 * @returns {Promise<{ findRunning: () => Promise<RunningWorkflow[]>, close: () => Promise<void> }>} findRunning: the
 *   workflows of deliveries and recoveries that have not ended
 */
export async function connectTemporal(address) {
  const { Connection, Client } = await import('@temporalio/client')
  const connection = await Connection.connect({ address })
  const { workflow } = new Client({ connection })
  return {
    async findRunning() {
      /** @type {RunningWorkflow[]} */
      const running = []
      for await (const { workflowId, type } of workflow.list({ query: "ExecutionStatus = 'Running'" }))
        if (TYPES.includes(type)) running.push({ id: workflowId, type })
      return running
    },
    close: () => connection.close(),
  }
}

/** The delivery or recovery of a workflow. @param {RunningWorkflow} workflow */
const targetOf = ({ id }) => id.replace(/^(test|recovery)\//, '')

/**
 * @param {readonly RunningWorkflow[]} running
 * @param {ReadonlySet<string>} openIds of deliveries and recoveries
 * @returns {RunningWorkflow[]} those that should have ended, because their delivery is closed or their recovery over
 */
export const leftOver = (running, openIds) => running.filter((workflow) => !openIds.has(targetOf(workflow)))

/**
 * Compares workflows with deliveries and recoveries: an open one has a running workflow or is parked, a closed one has none.
 *
 * @param {import('./account.mjs').Account} account
 * @param {import('./account.mjs').Known} known
 * @param {readonly RunningWorkflow[]} running
 */
export function compareWorkflows(account, { rows }, running) {
  const ids = new Set(running.map(({ id }) => id))
  const open = rows.deliveries.filter(isOpen)
  for (const delivery of open) {
    if (!ids.has(delivery.id) && !delivery.isParked)
      account.lose(`delivery ${delivery.id} is open, not parked, and has no running workflow`, delivery)
  }
  const recoveries = rows.recoveries.filter(({ state }) => state === 'running')
  for (const { id } of recoveries) {
    if (!ids.has(`recovery/${id}`)) account.lose(`recovery ${id} runs, and has no running workflow`)
  }
  const openIds = new Set([...open, ...recoveries].map(({ id }) => id))
  const byId = new Map(rows.deliveries.map((delivery) => [delivery.id, delivery]))
  for (const workflow of leftOver(running, openIds)) {
    const delivery = byId.get(targetOf(workflow))
    account.disagree(`the workflow ${workflow.id} (${workflow.type}) still runs`, delivery ?? 'no row')
  }
}
