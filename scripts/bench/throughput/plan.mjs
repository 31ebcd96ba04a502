import path from 'node:path'
import { parseArgs } from 'node:util'
import { DATA_DIR } from '../../lib/paths.mjs'

/** The topics, in the order in which they are measured. */
const TOPICS = /** @type {const} */ (['accept', 'deliver', 'floors', 'bad', 'steady', 'growth'])
const QUICK_TOPICS = ['accept', 'deliver', 'floors']
/** Those that a service can be asked for that others use: nothing is stopped, and nothing is filled or emptied. */
const RUNNING_TOPICS = ['accept', 'deliver']
/** The ways to a first attempt. */
const LANES = /** @type {const} */ (['workflow', 'direct'])
/** Times that the topic `steady` lasts longer than a phase. */
const STEADY_PHASES = 30
/** A shorter phase would measure its own beginning and end. */
const LEAST_SECONDS = 0.5
/** How long after the service is up a phase may begin, and how long the whole run may take. Seconds. */
const LIMITS = { full: [2_100, 2_400], quick: [36, 88] }

/**
 * @typedef {object} Plan
 * @property {readonly string[]} topics
 * @property {readonly string[]} lanes the ways to a first attempt that are measured
 * @property {number} rounds
 * @property {number} seconds of a phase that goes as fast as it can
 * @property {number} pacedSeconds of a phase at 20 or 200 events a second
 * @property {number} webhooks
 * @property {number} eventBytes of an event in the request
 * @property {boolean} isQuick
 * @property {boolean} isWritten into docs/
 * @property {string} [dataDir] of the running service that is measured; without it the benchmark starts its own
 * @property {number} steadySeconds the longest time of the topic `steady`
 * @property {number} measuredMs after that time from the first phase none begins
 * @property {() => boolean} isOver whether the time is over in which a phase may begin
 * @property {number} limitMs how long the whole run may take
 * @property {string} [json] file that gets the figures
 */

/** @typedef {Omit<Plan, 'isOver'>} WholePlan of all topics: each has a time of its own */

/**
 * @param {readonly string[]} args of the command line
 * @returns {WholePlan}
 * @throws {Error} for an unknown option or topic, or options that exclude each other
 */
export function readPlan(args) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      only: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      webhooks: { type: 'string', default: '10' },
      lanes: { type: 'string' },
      json: { type: 'string' },
      running: { type: 'boolean', default: false },
      data: { type: 'string', default: DATA_DIR },
    },
  })
  const isQuick = values.quick
  const known = values.running ? RUNNING_TOPICS : TOPICS
  const topics = values.only?.split(',') ?? (isQuick && !values.running ? QUICK_TOPICS : known)
  for (const topic of topics) {
    if (!known.some((name) => name === topic))
      throw new Error(
        `There is no topic ${topic}${values.running ? ' with --running' : ''}: choose from ${known.join(', ')}`,
      )
  }
  const lanes = values.lanes?.split(',') ?? (isQuick ? LANES.slice(0, 1) : LANES)
  for (const lane of lanes) {
    if (!LANES.some((name) => name === lane))
      throw new Error(`There is no lane ${lane}: choose from ${LANES.join(', ')}`)
  }
  if (values.running && values.lanes !== undefined)
    throw new Error('A running service has its lane already: leave --lanes out')
  if (values.running && values.write)
    throw new Error('--write is for figures of a service that the benchmark started: leave --running out')
  const [lastBeginning = 0, limit = 0] = isQuick ? LIMITS.quick : LIMITS.full
  const seconds = number('seconds', values.seconds ?? (isQuick ? '0.5' : '8'))
  return {
    topics: TOPICS.filter((topic) => topics.includes(topic)),
    lanes: LANES.filter((lane) => lanes.includes(lane)),
    rounds: number('rounds', values.rounds ?? (isQuick ? '1' : '2')),
    seconds,
    pacedSeconds: isQuick ? 1 : Math.max(10, seconds),
    webhooks: Math.min(10, number('webhooks', values.webhooks)),
    eventBytes: 1024,
    isQuick,
    isWritten: values.write,
    steadySeconds: seconds * STEADY_PHASES,
    measuredMs: lastBeginning * 1000,
    limitMs: limit * 1000,
    ...(values.json !== undefined && { json: values.json }),
    ...(values.running && { dataDir: path.resolve(values.data) }),
  }
}

/**
 * The plan for one topic. In a quick run each topic has its share of the time, and what those before it left. A slow one before
 * it takes nothing of its share.
 *
 * @param {WholePlan} plan
 * @param {string} topic
 * @param {number} startedMs when the first topic began, by performance.now()
 * @param {number} nowMs when this one begins
 * @returns {Plan}
 */
export function planFor(plan, topic, startedMs, nowMs = performance.now()) {
  const { topics, isQuick, measuredMs } = plan
  const shareMs = isQuick ? measuredMs / topics.length : measuredMs
  const endMs = isQuick
    ? Math.max(startedMs + (topics.indexOf(topic) + 1) * shareMs, nowMs + shareMs)
    : startedMs + shareMs
  return { ...plan, isOver: () => performance.now() > endMs }
}

/** @param {string} name @param {string} text @returns {number} */
function number(name, text) {
  const value = Number(text)
  const least = name === 'seconds' ? LEAST_SECONDS : 1
  if (!(value >= least)) throw new Error(`--${name} must be a number of ${least} or more`)
  return value
}
