import { waitUntil } from '../../lib/ready.mjs'

/** @typedef {import('./stack.mjs').BenchStack} BenchStack */

/** Event types of which each gets a webhook of its own, or all get the same ones. */
export const TYPES = [
  ...['contact.created', 'contact.updated', 'contact.deleted', 'organization.created'],
  ...['organization.updated', 'organization.deleted', 'deal.created', 'deal.updated'],
  ...['deal.stage_changed', 'deal.deleted'],
]

/** Everything that a phase leaves behind. */
const TABLES = [
  ...['outbox', 'attempts', 'deliveries', 'events'],
  ...['webhook_counters', 'webhook_health', 'webhook_stats_hours', 'webhook_stats_days'],
  ...['webhook_event_types', 'webhooks', 'notices'],
]

/** Empties the tables, so that no phase pays for what the one before left. @param {import('knex').Knex} db */
export async function clearTables(db) {
  for (const table of TABLES) await db.raw(`TRUNCATE TABLE ${table}`)
}

/**
 * @param {BenchStack} stack
 * @param {{ path?: string, url?: string, types: readonly string[], retrySchedule?: readonly number[] }} options path: of the receiver;
 *   retrySchedule: seconds
 */
export async function subscribe({ api, endpoint }, { path = '', url, types, retrySchedule }) {
  const body = { name: path || 'benchmark', url: url ?? endpoint(path), events: types }
  const schedule = retrySchedule && { retry_schedule: retrySchedule }
  const { status, error } = await api('POST', '/api-v1-webhooks', { ...body, ...schedule })
  if (status !== 201) throw new Error(`a webhook was answered with ${status}: ${error?.message}`)
}

/**
 * Waits until what was delivered is also recorded.
 *
 * @param {Pick<BenchStack, 'db' | 'companyId'>} stack
 * @param {number} timeoutMs
 * @returns {Promise<boolean>} false when the time was over
 */
export async function waitForRecords({ db, companyId }, timeoutMs) {
  const isDone = async () => (await db('outbox').where({ company_id: companyId }).first('id')) === undefined
  return waitUntil('The records', isDone, { timeoutMs }).then(
    () => true,
    () => false,
  )
}

/**
 * Checks what the database has of accepted events: each must have its deliveries, and while no worker runs each of those a
 * start in the outbox.
 *
 * @param {BenchStack} stack
 * @param {{ ids: readonly string[], each: number }} accepted each: webhooks of every event
 * @returns {Promise<{ lost: number, unknown: number }>} unknown: deliveries whose event the api did not report as accepted
 */
export async function compareRows({ db, companyId, isAttached }, { ids, each }) {
  const deliveries = db('deliveries')
    .join('webhooks', 'webhooks.id', 'deliveries.webhook_id')
    .where({ 'deliveries.company_id': companyId, 'webhooks.deleted_at': null })
  if (!isAttached) {
    // With the kind the join goes along the unique key. Without it each delivery would read the whole outbox.
    deliveries.joinRaw("JOIN outbox ON outbox.kind = 'start' AND outbox.subject_id = deliveries.id")
  }
  const rows = await deliveries.select('deliveries.event_id AS id')
  /** @type {Map<string, number>} */
  const found = new Map()
  for (const { id } of rows) found.set(id, (found.get(id) ?? 0) + 1)
  const counts = ids.map((id) => found.get(id) ?? 0)
  const known = counts.reduce((sum, count) => sum + count, 0)
  const lost = counts.reduce((sum, count) => sum + Math.max(0, each - count), 0)
  return { lost, unknown: rows.length - known }
}

/**
 * Ends all workflows that still run: those of a phase that was given up.
 *
 * @param {BenchStack} stack
 */
export async function endWorkflows({ env }) {
  const { Connection, Client } = await import('@temporalio/client')
  const connection = await Connection.connect({ address: env.TEMPORAL_ADDRESS ?? '' })
  try {
    const { workflow } = new Client({ connection })
    for await (const { workflowId } of workflow.list({ query: "ExecutionStatus = 'Running'" }))
      await workflow
        .getHandle(workflowId)
        .terminate()
        .catch(() => undefined)
  } finally {
    await connection.close()
  }
}

/** @param {Pick<BenchStack, 'db' | 'companyId'>} stack @returns {Promise<number>} deliveries that are neither delivered nor given up */
export async function countOpen({ db, companyId }) {
  const open = db('deliveries').where({ company_id: companyId }).whereIn('status', ['pending', 'retrying'])
  const [row] = await open.count('id AS count')
  return Number(row?.count ?? 0)
}

/**
 * Removes the deliveries that are due now or soon, with their outbox rows. Old ones stay.
 *
 * @param {BenchStack} stack
 */
export async function removeOpenWork({ db }) {
  await db.raw('TRUNCATE TABLE outbox')
  await db.raw(
    'DELETE FROM deliveries WHERE closed_at IS NULL AND parked_at IS NULL AND wake_at < NOW(3) + INTERVAL 1 HOUR',
  )
}
