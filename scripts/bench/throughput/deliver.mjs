import { setTimeout as sleep } from 'node:timers/promises'
import { BESIDE, EACH_ITS_OWN, FAILING, FAILING_FIFTH, FAN_OUT } from './endpoints.mjs'
import { endWorkflows } from './fixture.mjs'
import { runPhase } from './phase.mjs'

/**
 * @typedef {import('./stack.mjs').BenchStack} BenchStack
 * @typedef {import('./figure.mjs').Figure} Figure
 * @typedef {import('./plan.mjs').Plan} Plan
 * @typedef {import('./phase.mjs').Phase} Phase
 * @typedef {Pick<Phase, 'what' | 'load' | 'waitMs'> & Partial<Phase>} PhaseOptions
 */

const CONNECTIONS = 32
const RECEIVER_MS = [0, 50]
const RATES = [20, 200]
/** With workflows, 200 a second are more than two cores do, and a quick run has no time to get rid of what they leave. */
const QUICK_RATES = [20]
/** Workflows take few, and a worker has compiled its code for direct attempts after some thousand. */
const WARM_UP_EVENTS = { workflow: 100, direct: 3_000 }
const ATTACHED_WARM_UP_EVENTS = 100
const QUICK_WARM_UP_EVENTS = 20
const MOST_EVENTS = 50_000
/** The same for a service that ran before: its keys have a limit of requests a minute. */
const MOST_ATTACHED = 3_000
/** A quick run proves that nothing is lost or repeated, and compares only figures that differ by far. */
const MOST_QUICK = 40
const LEAST_EVENTS = 20
/** Each is ten deliveries where it fans out. */
const LEAST_QUICK = 5
/** An open loop is not tried at a rate that is this many times what was delivered as fast as possible. */
const HOPELESS = 2
/** What is not delivered so long after the last publish of an open loop shows that the service does not keep up. */
const PACED_WAIT_MS = 5_000

/**
 * Accepting and delivering at once, in the ways in which endpoints behave, in each lane.
 *
 * @param {BenchStack} stack
 * @param {Plan} plan
 * @returns {Promise<Figure[]>}
 */
export async function measureDeliver(stack, plan) {
  /** @type {Figure[]} */
  const figures = []
  for (const lane of stack.isAttached ? [stack.lane] : plan.lanes) {
    if (plan.isOver()) break
    await stack.useLane(lane)
    await stack.resetPeaks()
    const [first, ...others] = await measureLane(stack, plan)
    if (first) figures.push({ ...first, peaks: await stack.peaks() }, ...others)
  }
  return figures
}

/** @param {BenchStack} stack @param {Plan} plan @returns {Promise<Figure[]>} */
async function measureLane(stack, plan) {
  const topic = 'deliver'
  let rate = await warmUp(stack, plan)
  const mostOfAll = stack.isAttached ? MOST_ATTACHED : MOST_EVENTS
  const [least, most] = plan.isQuick ? [LEAST_QUICK, MOST_QUICK] : [LEAST_EVENTS, mostOfAll]
  const eventsFor = (/** @type {number} */ seconds) =>
    Math.round(Math.min(most, Math.max(least, rate * seconds)))
  const phase = (/** @type {PhaseOptions} */ options) =>
    runPhase(stack, plan, { topic, endpoints: EACH_ITS_OWN, receiverMs: 0, ...options })
  const burst = (/** @type {number} */ share = 1) => ({
    load: { connections: CONNECTIONS, count: eventsFor(plan.seconds * share) },
    waitMs: 3 * Math.max(1, plan.seconds) * 1000 + 5_000,
  })
  const fanOut = { what: 'fan-out 10, deliveries', endpoints: FAN_OUT }
  const steps = [
    ...RECEIVER_MS.map((receiverMs) => () => endToEnd(receiverMs)),
    () => phase({ ...fanOut, ...burst(1 / 10) }),
    ...(plan.isQuick ? QUICK_RATES : RATES).map((perSecond) => () => paced(perSecond)),
    () => phase({ what: '20 % of endpoints fail once', endpoints: FAILING, ...burst() }),
    () => phase({ what: 'every fifth event fails once', endpoints: FAILING_FIFTH, ...burst() }),
    // These stop the worker.
    ...(stack.isAttached ? [] : [() => phase({ what: 'drain', ...burst(), isDrain: true })]),
    ...(stack.isAttached || plan.isQuick ? [] : [() => besideBadOnes()]),
  ]
  /** @type {Figure[]} */
  const figures = []
  // On a very busy machine the warm-up alone takes the time of a quick run: there is one figure in any case.
  for (const step of steps) {
    if (figures.length === 0 || !plan.isOver()) figures.push(...[await step()].flat())
  }
  return figures

  /** @param {number} ms */
  async function endToEnd(ms) {
    const figure = await phase({ what: 'end to end', receiverMs: ms, ...burst() })
    rate = Math.max(rate, figure.perSecond ?? 0)
    return figure
  }

  /** @param {number} perSecond @param {Partial<Phase>} [more] @returns {Promise<Figure>} */
  async function paced(perSecond, more) {
    const what = `open loop, ${perSecond}/s`
    if (rate * HOPELESS < perSecond) {
      const cannot = `delivers ${Math.round(rate)}/s`
      return { topic, what, lane: stack.lane, webhooks: plan.webhooks, receiverMs: 0, cannot }
    }
    const load = { perSecond, seconds: plan.pacedSeconds }
    const figure = await phase({ what, load, waitMs: PACED_WAIT_MS, ...more })
    if (figure.cannot !== undefined) await recover(stack, plan)
    return figure
  }

  /** A dead and a hung endpoint get every event too. Only the healthy ones are counted. */
  async function besideBadOnes() {
    const [first] = RATES
    const bad = { endpoints: BESIDE, isSettled: false }
    const quiet = await paced(first ?? 0, {
      what: `open loop, ${first}/s, beside a dead and a hung one`,
      ...bad,
    })
    const fast = await phase({ what: 'end to end, beside a dead and a hung one', ...bad, ...burst() })
    await recover(stack, plan)
    return [quiet, fast]
  }
}

/**
 * Starts the worker where it does not run, and lets every process compile what the phases need.
 *
 * @param {BenchStack} stack
 * @param {Plan} plan
 * @returns {Promise<number>} about how many events a second are accepted and delivered
 */
export async function warmUp(stack, plan) {
  await stack.reset()
  if (!stack.isAttached) await stack.startWorker()
  const lane = /** @type {keyof typeof WARM_UP_EVENTS} */ (stack.lane)
  const full = stack.isAttached ? ATTACHED_WARM_UP_EVENTS : WARM_UP_EVENTS[lane]
  const count = plan.isQuick ? QUICK_WARM_UP_EVENTS : full
  const load = { connections: CONNECTIONS, count }
  const options = { topic: '', what: 'warm-up', endpoints: EACH_ITS_OWN, receiverMs: 0, waitMs: 20_000 }
  await runPhase(stack, plan, { ...options, load })
  const figure = await runPhase(stack, plan, { ...options, load })
  if (figure.perSecond === undefined) throw new Error(`the warm-up was not delivered: ${figure.cannot}`)
  return figure.perSecond
}

/** Gets rid of work that a phase left. @param {BenchStack} stack @param {Plan} plan */
async function recover(stack, plan) {
  if (!stack.isAttached) {
    await stack.stopWorker()
    await stack.reset()
    await endWorkflows(stack)
    await sleep(500)
  }
  await warmUp(stack, plan)
}
