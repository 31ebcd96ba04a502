import { clearTables, compareRows, subscribe, TYPES } from './fixture.mjs'
import { cpuPerThousand, readCpu } from './processes.mjs'

/**
 * @typedef {import('./stack.mjs').BenchStack} BenchStack
 * @typedef {import('./figure.mjs').Figure} Figure
 * @typedef {import('./plan.mjs').Plan} Plan
 */

const CONNECTIONS = [1, 8, 32, 64]
const BATCH = 100
const BATCH_CONNECTIONS = 8
const RATES = [20, 200]
const WARM_UP_SECONDS = 2

/**
 * Accepting alone: the worker does not run, so deliveries only wait in the outbox.
 *
 * @param {BenchStack} stack
 * @param {Plan} plan
 * @returns {Promise<Figure[]>}
 */
export async function measureAccept(stack, plan) {
  await stack.stopWorker()
  const measure = (
    /** @type {string} */ what,
    /** @type {Record<string, unknown>} */ load,
    seconds = plan.seconds,
  ) => acceptOnce(stack, plan, what, { seconds, ...load })
  await measure('warm-up', { connections: 32 }, Math.min(plan.seconds, WARM_UP_SECONDS))
  /** @type {Figure[]} */
  const figures = []
  for (const connections of CONNECTIONS)
    figures.push(
      await measure(`single, ${connections} connection${connections > 1 ? 's' : ''}`, { connections }),
    )
  const maximum = Math.max(...figures.map(({ perSecond }) => perSecond ?? 0))
  const batches = { connections: BATCH_CONNECTIONS, batch: BATCH }
  figures.push(await measure(`batches of ${BATCH}, ${BATCH_CONNECTIONS} connections`, batches))
  for (const perSecond of RATES)
    figures.push(await measure(`open loop, ${perSecond}/s`, { perSecond }, plan.pacedSeconds))
  const half = Math.floor(maximum / 2)
  figures.push(await measure('open loop, half of the maximum', { perSecond: half }))
  return figures
}

/**
 * @param {BenchStack} stack
 * @param {Plan} plan
 * @param {string} what
 * @param {{ seconds: number, connections?: number, batch?: number, perSecond?: number }} load
 * @returns {Promise<Figure>}
 */
async function acceptOnce(stack, { webhooks, eventBytes }, what, load) {
  await clearTables(stack)
  const types = TYPES.slice(0, webhooks)
  for (const type of types) await subscribe(stack, { path: `/${type}`, types: [type] })
  const before = await readCpu(stack.pids)
  const command = load.perSecond === undefined ? 'closed' : 'open'
  const { ids, refused, answerMs, startedAt, endedAt } = await stack.load(command, {
    types,
    eventBytes,
    ...load,
  })
  const cpu = cpuPerThousand(before, await readCpu(stack.pids), ids.length)
  const rows = await compareRows(stack, { ids, each: 1 })
  return {
    ...{ topic: 'accept', what, lane: stack.lane, webhooks: types.length, events: ids.length, cpu, ...rows },
    perSecond: ids.length / (endedAt - startedAt),
    acceptMs: answerMs,
    refused,
  }
}
