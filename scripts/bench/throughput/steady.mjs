import { residentMib } from '../hostile/figures.mjs'
import { warmUp } from './deliver.mjs'
import { EACH_ITS_OWN } from './endpoints.mjs'
import { runPhase } from './phase.mjs'

/**
 * @typedef {import('./stack.mjs').BenchStack} BenchStack
 * @typedef {import('./figure.mjs').Figure} Figure
 * @typedef {import('./plan.mjs').Plan} Plan
 */

const WANTED = 200_000
/** Share of the time after which the memory at the end is compared with that of then. */
const EARLY = 0.25
/** Seconds of work that are accepted at a time, so that the backlog stays small. */
const CHUNK_SECONDS = 5
const MEASURED = ['api', 'worker', 'temporal']

/**
 * Delivers 200,000 in a row in each lane, or as many as the time allows, and looks whether memory stays flat.
 *
 * @param {BenchStack} stack
 * @param {Plan} plan
 * @returns {Promise<Figure[]>}
 */
export async function measureSteady(stack, plan) {
  /** @type {Figure[]} */
  const figures = []
  for (const lane of plan.lanes) {
    if (plan.isOver()) break
    await stack.useLane(lane)
    figures.push(await measureLane(stack, plan))
  }
  return figures
}

/** @param {BenchStack} stack @param {Plan} plan @returns {Promise<Figure>} */
async function measureLane(stack, plan) {
  const rate = await warmUp(stack, plan)
  const count = Math.max(20, Math.round(rate * CHUNK_SECONDS))
  const load = { connections: 32, count }
  const phase = { topic: 'steady', what: '', endpoints: EACH_ITS_OWN, receiverMs: 0, load, waitMs: 30_000 }
  const startedMs = performance.now()
  const elapsed = () => (performance.now() - startedMs) / 1000
  /** @type {Figure[]} */
  const chunks = []
  /** @type {Record<string, number> | undefined} */
  let early
  let events = 0
  while (events < WANTED && elapsed() < plan.steadySeconds && !plan.isOver()) {
    const chunk = await runPhase(stack, plan, { ...phase, ...(chunks.length > 0 && { prepare: goOn }) })
    chunks.push(chunk)
    events += chunk.events ?? 0
    if (chunk.cannot !== undefined) break
    const share = Math.max(events / WANTED, elapsed() / plan.steadySeconds)
    if (share >= EARLY) early ??= await readMemory(stack)
  }
  const late = await readMemory(stack)
  const sum = (/** @type {'lost' | 'duplicates'} */ name) =>
    chunks.reduce((total, chunk) => total + (chunk[name] ?? 0), 0)
  const number = (/** @type {number} */ value) => value.toLocaleString('en-US')
  const bound = events < WANTED ? `, of ${number(WANTED)}, in ${Math.round(elapsed())} s` : ''
  return {
    topic: 'steady',
    what: `${number(events)} deliveries in a row${bound}`,
    lane: stack.lane,
    webhooks: plan.webhooks,
    receiverMs: 0,
    events,
    perSecond: events / elapsed(),
    lost: sum('lost'),
    duplicates: sum('duplicates'),
    memory: { early: early ?? late, late },
  }
}

/** The next chunk goes on where the last one ended. */
const goOn = () => Promise.resolve()

/** @param {BenchStack} stack @returns {Promise<Record<string, number>>} MiB by process */
async function readMemory({ pids }) {
  /** @type {Record<string, number>} */
  const memory = {}
  for (const name of MEASURED) memory[name] = await residentMib({ pid: pids.get(name) ?? 0 })
  return memory
}
