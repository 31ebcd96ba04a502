import { isOpen } from './rows.mjs'

/** @typedef {{ id: string, type: string }} RunningWorkflow */

const DELIVERY_TYPES = ['deliverWebhook', 'sendTest']

/**
 * Connects to Temporal.
 *
 * @param {string} address
 * @returns {Promise<{ findRunning: () => Promise<RunningWorkflow[]>, close: () => Promise<void> }>} findRunning: the
 *   workflows of deliveries that have not ended
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
        if (DELIVERY_TYPES.includes(type)) running.push({ id: workflowId, type })
      return running
    },
    close: () => connection.close(),
  }
}

/**
 * @param {readonly RunningWorkflow[]} running
 * @param {ReadonlySet<string>} openIds of deliveries
 * @returns {RunningWorkflow[]} those that should have ended, because their delivery is closed
 */
export const leftOver = (running, openIds) =>
  running.filter(({ id }) => !openIds.has(id.replace(/^test\//, '')))

/**
 * Compares workflows and deliveries: an open one has a running workflow or is parked, a closed one has none.
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
  const byId = new Map(rows.deliveries.map((delivery) => [delivery.id, delivery]))
  for (const { id, type } of leftOver(running, new Set(open.map((delivery) => delivery.id)))) {
    const delivery = byId.get(id.replace(/^test\//, ''))
    account.disagree(`the workflow ${id} (${type}) still runs`, delivery ?? 'no row')
  }
}
