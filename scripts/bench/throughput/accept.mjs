import { EACH_ITS_OWN } from './endpoints.mjs'
import { compareRows } from './fixture.mjs'
import { cpuPerThousand, readCpu } from './processes.mjs'

/**
 * @typedef {import('./stack.mjs').BenchStack} BenchStack
 * @typedef {import('./figure.mjs').Figure} Figure
 * @typedef {import('./plan.mjs').Plan} Plan
 */

const CONNECTIONS = [1, 8, 32, 64]
const QUICK_CONNECTIONS = [1, 32]
const BATCH = 100
const BATCH_CONNECTIONS = 8
const RATES = [20, 200]
const WARM_UP_SECONDS = 2
/** Events that a phase leaves at most to a service that goes on delivering meanwhile. */
const MOST_ATTACHED = { full: 1_000, quick: 40 }

/**
 * Accepting alone: the worker does not run, so deliveries only wait in the outbox. A service that ran before keeps its
 * worker, and each phase is short, because what it leaves has to be ended before the next one.
 *
 * @param {BenchStack} stack
 * @param {Plan} plan
 * @returns {Promise<Figure[]>}
 */
export async function measureAccept(stack, plan) {
  if (!stack.isAttached) await stack.stopWorker()
  const limit = stack.isAttached ? { count: MOST_ATTACHED[plan.isQuick ? 'quick' : 'full'] } : {}
  const measure = (
    /** @type {string} */ what,
    /** @type {Record<string, unknown>} */ load,
    seconds = plan.seconds,
  ) => acceptOnce(stack, plan, what, { seconds, ...limit, ...load })
  await measure('warm-up', { connections: 32 }, Math.min(plan.seconds, WARM_UP_SECONDS))
  const single = (/** @type {number} */ connections) =>
    measure(`single, ${connections} connection${connections > 1 ? 's' : ''}`, { connections })
  const batches = () =>
    measure(`batches of ${BATCH}, ${BATCH_CONNECTIONS} connections`, {
      connections: BATCH_CONNECTIONS,
      batch: BATCH,
    })
  const paced = (/** @type {number} */ perSecond) =>
    measure(`open loop, ${perSecond}/s`, { perSecond }, plan.pacedSeconds)
  const halfOfMaximum = () => {
    const maximum = Math.max(
      ...figures.map(({ what, perSecond }) => (what.startsWith('single') ? (perSecond ?? 0) : 0)),
    )
    return measure('open loop, half of the maximum', { perSecond: Math.max(1, Math.floor(maximum / 2)) })
  }
  const steps = [
    ...(plan.isQuick ? QUICK_CONNECTIONS : CONNECTIONS).map((connections) => () => single(connections)),
    batches,
    ...(plan.isQuick ? [] : RATES.map((perSecond) => () => paced(perSecond))),
    ...(plan.isQuick || stack.isAttached ? [] : [halfOfMaximum]),
  ]
  /** @type {Figure[]} */
  const figures = []
  for (const step of steps) if (!plan.isOver()) figures.push(await step())
  return figures
}

/**
 * @param {BenchStack} stack
 * @param {Plan} plan
 * @param {string} what
 * @param {{ seconds: number, connections?: number, count?: number, batch?: number, perSecond?: number,
 *   prepare?: () => Promise<unknown> }} load prepare: in place of emptying the tables and subscribing
 * @returns {Promise<Figure>}
 */
export async function acceptOnce(stack, { webhooks, eventBytes }, what, { prepare, ...load }) {
  const types = EACH_ITS_OWN.types(webhooks)
  if (prepare === undefined) {
    await stack.reset()
    await EACH_ITS_OWN.subscribe(stack, types, webhooks)
  } else await prepare()
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
    topic: 'accept',
    what,
    lane: stack.lane,
    webhooks: types.length,
    events: ids.length,
    cpu,
    ...rows,
    perSecond: ids.length / (endedAt - startedAt),
    acceptMs: answerMs,
    refused,
  }
}
