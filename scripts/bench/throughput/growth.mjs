import { fillDeliveries } from '../lists-fill.mjs'
import { acceptOnce } from './accept.mjs'
import { warmUp } from './deliver.mjs'
import { EACH_ITS_OWN } from './endpoints.mjs'
import { overRounds } from './figure.mjs'
import { removeOpenWork, subscribe } from './fixture.mjs'
import { runPhase } from './phase.mjs'

/**
 * @typedef {import('./stack.mjs').BenchStack} BenchStack
 * @typedef {import('./figure.mjs').Figure} Figure
 * @typedef {import('./plan.mjs').Plan} Plan
 */

const OLD_DELIVERIES = 1_000_000
const WEBHOOKS = 1_000
/** Types that nobody publishes here. */
const OTHER_TYPES = ['activity.created', 'task.created', 'task.completed']
const CREATORS = 8
/** The memory that a production server would have for this much data; both sides of the comparison have it. */
const BUFFER_POOL_BYTES = 1024 ** 3
const PACED = 20
const PACED_WAIT_MS = 5_000

/**
 * The same figures on an empty database and on one with 1,000,000 old deliveries and 1,000 webhooks.
 *
 * @param {BenchStack} stack
 * @param {Plan} plan
 * @returns {Promise<Figure[]>} medians; the rounds take place here, because the database is filled once
 */
export async function measureGrowth(stack, plan) {
  await stack.useLane('workflow')
  await stack.db.raw('SET GLOBAL innodb_buffer_pool_size = ?', [BUFFER_POOL_BYTES])
  const rate = await warmUp(stack, plan)
  await stack.reset()
  const types = EACH_ITS_OWN.types(plan.webhooks)
  await EACH_ITS_OWN.subscribe(stack, types, plan.webhooks)
  const empty = await measureAll(stack, plan, rate, { old: 'empty', webhooks: types.length })
  if (plan.isOver()) return empty
  await stack.stopWorker()
  await removeOpenWork(stack)
  await stack.db('webhook_counters').delete()
  const ids = await stack.db('webhooks').pluck('id')
  await fillDeliveries(stack.db, { companyId: stack.companyId, webhookIds: ids, count: OLD_DELIVERIES })
  await closeParked(stack)
  await createOthers(stack, WEBHOOKS - types.length)
  const old = `${OLD_DELIVERIES.toLocaleString('en-US')} old deliveries`
  return [...empty, ...(await measureAll(stack, plan, rate, { old, webhooks: WEBHOOKS }))]
}

/**
 * @param {BenchStack} stack
 * @param {Plan} plan
 * @param {number} rate
 * @param {{ old: string, webhooks: number }} names of what the database holds
 * @returns {Promise<Figure[]>}
 */
async function measureAll(stack, plan, rate, { old, webhooks }) {
  const prepare = () => removeOpenWork(stack)
  const named = (/** @type {Figure} */ figure) => ({
    ...figure,
    topic: 'growth',
    what: `${figure.what}: ${old}`,
    webhooks,
  })
  const accept = async (/** @type {number} */ connections) => {
    const what = `accept, ${connections} connection${connections > 1 ? 's' : ''}`
    return named(await acceptOnce(stack, plan, what, { seconds: plan.seconds, connections, prepare }))
  }
  const deliver = async (
    /** @type {string} */ what,
    /** @type {import('./phase.mjs').Phase['load']} */ load,
  ) => {
    const waitMs = load.perSecond === undefined ? 3 * plan.seconds * 1000 : PACED_WAIT_MS
    const phase = { topic: 'growth', what, endpoints: EACH_ITS_OWN, receiverMs: 0, load, waitMs, prepare }
    return named(await runPhase(stack, plan, phase))
  }
  /** @type {Figure[][]} */
  const rounds = []
  for (let round = 0; round < plan.rounds && !plan.isOver(); round++) {
    await stack.stopWorker()
    // The api compiles on its first requests; neither side of the comparison may pay for that.
    await accept(32)
    const accepted = [await accept(1), await accept(32)]
    await removeOpenWork(stack)
    await stack.startWorker()
    await deliver('warm-up', { connections: 32, count: 100 })
    const burst = { connections: 32, count: Math.max(20, Math.round(rate * plan.seconds)) }
    const delivered = [await deliver('end to end', burst)]
    delivered.push(await deliver(`open loop, ${PACED}/s`, { perSecond: PACED, seconds: plan.pacedSeconds }))
    rounds.push([...accepted, ...delivered])
  }
  return (rounds[0] ?? []).map((_, index) => overRounds(rounds.flatMap((round) => round[index] ?? [])))
}

/**
 * Closes the deliveries that were filled in as parked. Their webhooks are active, so the worker would send them.
 *
 * @param {BenchStack} stack
 */
async function closeParked({ db }) {
  const at = db.ref('created_at')
  const closed = { status: 'success', parked_at: null, attempts: 1, delivered_at: at, closed_at: at }
  await db('deliveries').whereNotNull('parked_at').update(closed)
}

/** @param {BenchStack} stack @param {number} count webhooks that get nothing */
async function createOthers(stack, count) {
  let left = count
  const create = async () => {
    while (left-- > 0) await subscribe(stack, { path: '/other', types: OTHER_TYPES })
  }
  await Promise.all(Array.from({ length: CREATORS }, create))
}
