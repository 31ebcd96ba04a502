import { setTimeout as sleep } from 'node:timers/promises'
import { steadySeconds } from './clock.mjs'
import { warmUp } from './deliver.mjs'
import { FAILING_FOR_WORKFLOWS } from './endpoints.mjs'
import { endWorkflows, subscribe, TYPES } from './fixture.mjs'
import { runPhase } from './phase.mjs'
import { untilAtRest } from './processes.mjs'

/**
 * @typedef {import('./stack.mjs').BenchStack} BenchStack
 * @typedef {import('./figure.mjs').Figure} Figure
 * @typedef {import('./plan.mjs').Plan} Plan
 * @typedef {'none' | 'nobody' | 'healthy' | 'dead' | 'hung'} Other who gets the other events
 */

const [OURS = '', OTHERS = ''] = TYPES
const OTHER_PATH = '/other'
/** Events a second for a healthy neighbour, by the way to a first attempt: workflows take few. */
const NEIGHBOUR = { workflow: 20, direct: 100 }
const OTHERS_PER_SECOND = 1_000
/** Times that the events come longer than a phase: a minute with phases of 5 s. */
const PHASES = 12
const LATE_MS = 5_000
const WARM_UP_RETRIES = { connections: 8, count: 100 }
/** Longest time until an endpoint that answers again has got everything. */
const RETURN_MS = 180_000
const LOOK_MS = 500

/**
 * What the neighbour has beside it, by the way to a first attempt. The healthy one shows what the same events cost while their
 * endpoint is well; workflows cannot deliver so many.
 *
 * @satisfies {Record<string, readonly Other[]>}
 */
const OTHERS_BY_LANE = /** @type {const} */ ({
  workflow: ['none', 'nobody', 'dead', 'hung'],
  direct: ['none', 'nobody', 'healthy', 'dead', 'hung'],
})

const SAYS = {
  none: 'a neighbour alone',
  nobody: 'beside 1,000/s that no webhook gets',
  healthy: 'beside a healthy endpoint that gets 1,000/s',
  dead: 'beside a dead endpoint that gets 1,000/s',
  hung: 'beside a hung endpoint that gets 1,000/s',
}

/**
 * A healthy endpoint beside one that gets 1,000 events a second and is dead or never answers: what the neighbour notices,
 * and how the bad one comes back.
 *
 * @param {BenchStack} stack
 * @param {Plan} plan
 * @returns {Promise<Figure[]>}
 */
export async function measureBadEndpoints(stack, plan) {
  /** @type {Figure[]} */
  const figures = []
  for (const lane of plan.lanes) {
    await stack.useLane(lane)
    await warmUp(stack, plan)
    await warmUpRetries(stack, plan)
    for (const other of OTHERS_BY_LANE[/** @type {keyof typeof OTHERS_BY_LANE} */ (lane)]) {
      if (plan.isOver()) break
      figures.push(await beside(stack, plan, other))
      if (other === 'hung') figures.push(await comeBack(stack))
    }
    await stack.stopWorker()
    await stack.reset()
    await endWorkflows(stack)
  }
  return figures
}

/**
 * Lets the worker and Temporal run retries once. In the direct lane the first workflow of a process would otherwise belong to
 * the dead endpoint, and its neighbour would wait while the code of workflows is loaded.
 *
 * @param {BenchStack} stack
 * @param {Plan} plan
 */
async function warmUpRetries(stack, plan) {
  const phase = { topic: '', what: 'warm-up of retries', endpoints: FAILING_FOR_WORKFLOWS, receiverMs: 0 }
  const { cannot } = await runPhase(stack, plan, { ...phase, load: WARM_UP_RETRIES, waitMs: 40_000 })
  if (cannot !== undefined) throw new Error(`the retries of the warm-up were not delivered: ${cannot}`)
}

/** @param {BenchStack} stack @param {Plan} plan @param {Other} other @returns {Promise<Figure>} of the neighbour */
async function beside(stack, plan, other) {
  await stack.reset()
  await stack.receiver('reset', { behaviours: { [OTHER_PATH]: other === 'hung' ? 'hang' : 'uncounted' } })
  await subscribe(stack, { path: '/neighbour', types: [OURS] })
  if (other === 'hung' || other === 'healthy') await subscribe(stack, { path: OTHER_PATH, types: [OTHERS] })
  if (other === 'dead') await subscribe(stack, { url: stack.deadEndpoint, types: [OTHERS] })
  await untilAtRest(stack.pids, LATE_MS)
  const seconds = plan.seconds * PHASES
  const publish = (/** @type {string} */ type, /** @type {number} */ perSecond) =>
    stack.load('open', { types: [type], eventBytes: plan.eventBytes, seconds, perSecond })
  const [ours] = await Promise.all([
    publish(OURS, NEIGHBOUR[/** @type {keyof typeof NEIGHBOUR} */ (stack.lane)]),
    ...(other === 'none' ? [] : [publish(OTHERS, OTHERS_PER_SECOND)]),
  ])
  await stack.receiver('wait', { delivered: ours.ids.length, timeoutMs: LATE_MS })
  const { receivedMs, duplicates, delivered, lastAt } = await stack.receiver('figures')
  const { lost } = await stack.receiver('compare', { ids: ours.ids, each: 1 })
  const workflows = await countWorkflows(stack)
  const others =
    other === 'dead' || other === 'hung' ? `; ${workflows} of its deliveries have a workflow` : ''
  return {
    topic: 'bad',
    what: SAYS[other] + others,
    lane: stack.lane,
    webhooks: other === 'none' ? 1 : 2,
    receiverMs: 0,
    events: ours.ids.length,
    perSecond: delivered / (lastAt - ours.startedAt),
    acceptMs: ours.answerMs,
    receivedMs,
    duplicates,
    lost,
  }
}

/** Lets the hung endpoint answer, and waits until it has got all that waited. @param {BenchStack} stack @param {Plan} plan */
async function comeBack(stack) {
  const waiting = await countWaiting(stack)
  await stack.receiver('reset', {})
  const startedAt = steadySeconds()
  /** @type {{ at: number, delivered: number }[]} */
  const looks = [{ at: startedAt, delivered: 0 }]
  do {
    await sleep(LOOK_MS)
    looks.push({ at: steadySeconds(), delivered: (await stack.receiver('figures')).delivered })
  } while ((await countWaiting(stack)) > 0 && steadySeconds() - startedAt < RETURN_MS / 1000)
  const { firstAt, lastAt, delivered, duplicates } = await stack.receiver('figures')
  const rates = looks.slice(1).map(({ at, delivered: count }, index) => {
    const before = looks[index] ?? looks[0]
    return { at, perSecond: (count - before.delivered) / (at - before.at) }
  })
  const most = Math.max(...rates.map(({ perSecond }) => perSecond))
  const full = rates.find(({ perSecond }) => perSecond >= most / 2)
  const after = (/** @type {number} */ at) => `${(at - startedAt).toFixed(1)} s`
  const left = await countWaiting(stack)
  const what = `the hung endpoint answers again: the first after ${after(firstAt)}, half of ${Math.round(most)}/s after ${after(full?.at ?? NaN)}`
  return {
    topic: 'bad',
    what,
    lane: stack.lane,
    webhooks: 2,
    receiverMs: 0,
    events: waiting,
    duplicates,
    ...(left === 0
      ? { perSecond: delivered / (lastAt - firstAt) }
      : { cannot: `${left} of ${waiting} still wait` }),
    lost: 0,
  }
}

/** @param {BenchStack} stack @returns {Promise<number>} deliveries without an attempt */
async function countWaiting({ db, companyId }) {
  const [row] = await db('deliveries')
    .where({ company_id: companyId, status: 'pending' })
    .count('id AS count')
  return Number(row?.count ?? 0)
}

/** @param {BenchStack} stack @returns {Promise<number>} deliveries to the bad endpoint that went to Temporal */
async function countWorkflows({ db, companyId }) {
  const [row] = await db('deliveries')
    .where({ company_id: companyId, in_temporal: 1, event_type: OTHERS })
    .count('id AS count')
  return Number(row?.count ?? 0)
}
