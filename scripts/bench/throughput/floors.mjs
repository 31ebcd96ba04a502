import { startAttacker } from '../hostile/attacker.mjs'
import { cpuSeconds } from '../hostile/figures.mjs'
import { TYPES } from './fixture.mjs'
import { cpuPerThousand, readCpu } from './processes.mjs'

/**
 * @typedef {import('./stack.mjs').BenchStack} BenchStack
 * @typedef {import('./figure.mjs').Figure} Figure
 * @typedef {import('./plan.mjs').Plan} Plan
 * @typedef {(stack: BenchStack, plan: Plan) => Promise<Figure>} Floor
 */

const CONNECTIONS = 32
/** Events a second of the open loops of `accept` and `deliver`, which so have floors beside them. */
const RATES = [20, 200]
const SENDER_ENDPOINTS = 10
const SENDER_REQUESTS_EACH = 10

/**
 * What the parts can do by themselves on this machine: no service that is built on them can be faster.
 *
 * @param {BenchStack} stack
 * @param {Plan} plan
 * @returns {Promise<Figure[]>}
 */
export async function measureFloors(stack, plan) {
  await stack.stopWorker()
  await stack.reset()
  /** @type {Figure[]} */
  const figures = []
  const paced = plan.isQuick ? [] : RATES.flatMap((rate) => [pacedInserts(rate), pacedKoa(rate)])
  for (const floor of [emptyWorkflows, bareWorkflows, bareInserts, bareKoa, bareSender, ...paced]) {
    if (!plan.isOver()) figures.push(await floor(stack, plan))
  }
  return figures
}

/** @typedef {{ count: number, total?: number, perSecond: number, cpuSeconds: number,
 *   milliseconds?: import('./tally.mjs').Times }} FloorResult */

/**
 * @param {BenchStack} stack
 * @param {{ what: string, program: string, name: string, options: unknown, part: string }} floor part: the process of the
 *   service whose place the program takes
 * @returns {Promise<Figure>}
 */
async function runFloor(stack, { what, program, name, options, part }) {
  const before = await readCpu(stack.pids)
  const module = new URL(`./floors/${program}.mjs`, import.meta.url)
  const { result, end } = startAttacker(module, name, options)
  /** @type {FloorResult} */
  const { count, total = count, perSecond, cpuSeconds: own, milliseconds } = await result.finally(end)
  const cpu = cpuPerThousand(before, await readCpu(stack.pids), total)
  const figure = { topic: 'floors', what, events: count, perSecond }
  // The timer that keeps the rate costs the program more than the little work that it does.
  if (milliseconds) return { ...figure, acceptMs: milliseconds }
  return { ...figure, cpu: { ...cpu, [part]: (own * 1000) / count } }
}

/** @param {string} what @param {'bareWorkflow' | 'emptyWorkflow'} workflow @returns {Floor} */
const workflows =
  (what, workflow) =>
  (stack, { seconds }) =>
    runFloor(stack, {
      what,
      program: 'bare-workflows',
      name: 'runBareWorkflows',
      part: 'worker',
      options: { address: stack.env.TEMPORAL_ADDRESS, seconds, inFlight: CONNECTIONS, workflow },
    })
const emptyWorkflows = workflows('workflows that do nothing', 'emptyWorkflow')
const bareWorkflows = workflows('workflows with one activity that does nothing', 'bareWorkflow')

/** @param {BenchStack} stack @param {Plan} plan */
const bareInserts = (stack, { seconds }) =>
  runFloor(stack, {
    what: `inserts of 1 KB with a commit each, ${CONNECTIONS} connections`,
    program: 'bare-inserts',
    name: 'insertRows',
    part: 'api',
    options: { url: stack.env.DATABASE_URL, connections: CONNECTIONS, seconds },
  })

/** @param {number} perSecond @returns {Floor} */
const pacedInserts =
  (perSecond) =>
  (stack, { pacedSeconds: seconds }) =>
    runFloor(stack, {
      what: `inserts of 1 KB with a commit each, 1 connection, ${perSecond}/s`,
      program: 'bare-inserts',
      name: 'insertAtRate',
      part: 'api',
      options: { url: stack.env.DATABASE_URL, perSecond, seconds },
    })

/** @param {BenchStack} stack @param {Plan} plan */
const bareSender = async (stack, { seconds }) => {
  await stack.receiver('reset', {})
  const urls = Array.from({ length: SENDER_ENDPOINTS }, (_, n) => stack.endpoint(`/${n}`))
  return runFloor(stack, {
    what: 'signed and posted over TLS, without a database',
    program: 'bare-sender',
    name: 'postSigned',
    part: 'worker',
    options: { urls, caFile: stack.env.WEBHOOK_CA_FILE, perUrl: SENDER_REQUESTS_EACH, seconds },
  })
}

/** @param {BenchStack} stack @param {Plan} plan */
const bareKoa = (stack, { seconds, eventBytes }) =>
  runKoa(stack, `answers of Koa to a publish, ${CONNECTIONS} connections`, 'closed', {
    connections: CONNECTIONS,
    seconds,
    eventBytes,
  })

/** @param {number} perSecond @returns {Floor} */
const pacedKoa =
  (perSecond) =>
  (stack, { pacedSeconds: seconds, eventBytes }) =>
    runKoa(stack, `answers of Koa to a publish, ${perSecond}/s`, 'open', { perSecond, seconds, eventBytes })

/**
 * @param {BenchStack} stack
 * @param {string} what
 * @param {'closed' | 'open'} command of load.mjs
 * @param {{ seconds: number, eventBytes: number, connections?: number, perSecond?: number }} options of the command
 * @returns {Promise<Figure>}
 */
async function runKoa(stack, what, command, options) {
  const { result, end } = startAttacker(new URL('./floors/bare-koa.mjs', import.meta.url), 'serveKoa', {})
  try {
    const { port, pid } = await result
    const load = { ...options, types: TYPES, port }
    await stack.load('closed', { ...load, connections: CONNECTIONS, seconds: Math.min(1, options.seconds) })
    const before = await cpuSeconds({ pid })
    const { requests, answerMs, startedAt, endedAt } = await stack.load(command, load)
    const api = (((await cpuSeconds({ pid })) - before) * 1000) / requests
    const perSecond = requests / (endedAt - startedAt)
    return { topic: 'floors', what, events: requests, perSecond, acceptMs: answerMs, cpu: { api } }
  } finally {
    await end()
  }
}
