import path from 'node:path'
import { parseArgs } from 'node:util'
import { DATA_DIR } from '../../scripts/lib/paths.mjs'

/** The topics, in the order in which they are measured. */
const TOPICS = ['accept', 'deliver', 'floors', 'bad', 'processes', 'steady', 'growth'] as const
const QUICK_TOPICS: readonly Topic[] = ['accept', 'deliver', 'floors']
/** Those that a service can be asked for that others use: nothing is stopped, and nothing is filled or emptied. */
const RUNNING_TOPICS: readonly Topic[] = ['accept', 'deliver']
/** The ways to a first attempt. */
const LANES = ['workflow', 'direct'] as const
/** A shorter phase would measure its own beginning and end. */
const LEAST_SECONDS = 0.5
/** How long after the service is up a phase may begin, and how long the whole run may take. Seconds. */
const LIMITS = { full: [2_100, 2_400], quick: [36, 88] } as const
/** Old deliveries come beside that time. */
const FILLED_A_SECOND = 5_000

export type Topic = (typeof TOPICS)[number]
export type Lane = (typeof LANES)[number]

/** Of all topics: each has a time of its own. */
export type WholePlan = ReturnType<typeof readPlan>

/** `isOver`: whether the time is over in which a phase may begin. */
export type Plan = WholePlan & { readonly isOver: () => boolean }

/**
 * Reads the arguments of the command line.
 *
 * @throws Error for an unknown option or topic, or options that exclude each other
 */
export function readPlan(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      only: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      lanes: { type: 'string' },
      old: { type: 'string', default: '1000000' },
      json: { type: 'string' },
      running: { type: 'boolean', default: false },
      data: { type: 'string', default: DATA_DIR },
    },
  })
  const { quick: isQuick, running } = values
  const known = running ? RUNNING_TOPICS : TOPICS
  const topics = choose(values.only, running ? 'topic with --running' : 'topic', known)
  const lanes = choose(values.lanes, 'lane', LANES)
  if (running && values.lanes !== undefined)
    throw new Error('A running service has its lane already: leave --lanes out')
  if (running && values.write)
    throw new Error('--write is for figures of a service that the benchmark started: leave --running out')
  const oldDeliveries = number('old', values.old)
  const [lastBeginning, limit] = isQuick ? LIMITS.quick : LIMITS.full
  const filling = isQuick ? 0 : oldDeliveries / FILLED_A_SECOND
  const seconds = number('seconds', values.seconds ?? (isQuick ? '0.5' : '8'), LEAST_SECONDS)
  return {
    topics: values.only === undefined && isQuick && !running ? QUICK_TOPICS : topics,
    /** The ways to a first attempt that are measured. */
    lanes: values.lanes === undefined && isQuick ? LANES.slice(0, 1) : lanes,
    rounds: number('rounds', values.rounds ?? (isQuick ? '1' : '2')),
    /** Of a phase that goes as fast as it can. */
    seconds,
    /** Of a phase at 20 or 200 events a second. */
    pacedSeconds: isQuick ? 1 : Math.max(10, seconds),
    /** Deliveries that the topic `growth` fills in. */
    oldDeliveries,
    isQuick,
    /** Into docs/. */
    isWritten: values.write,
    /** After that time from the first phase none begins. */
    measuredMs: (lastBeginning + filling) * 1000,
    /** How long the whole run may take. */
    limitMs: (limit + filling) * 1000,
    /** File that gets the figures. */
    json: values.json,
    /** Of the running service that is measured; without it the benchmark starts its own. */
    dataDir: running ? path.resolve(values.data) : undefined,
  }
}

/** The names of a list with commas, in the order in which they are known; without a list all. */
function choose<Name extends string>(list: string | undefined, what: string, known: readonly Name[]): Name[] {
  const names: readonly string[] = list?.split(',') ?? known
  const unknown = names.find((name) => !known.some((each) => each === name))
  if (unknown !== undefined)
    throw new Error(`There is no ${what} "${unknown}": choose from ${known.join(', ')}`)
  return known.filter((name) => names.includes(name))
}

/**
 * The plan for one topic. In a quick run each topic has its share of the time, and what those before it left. A slow one before
 * it takes nothing of its share.
 *
 * @param startedMs when the first topic began, by performance.now()
 * @param nowMs when this one begins
 */
export function planFor(plan: WholePlan, topic: Topic, startedMs: number, nowMs = performance.now()): Plan {
  const { topics, isQuick, measuredMs } = plan
  const shareMs = measuredMs / topics.length
  const endMs = isQuick
    ? Math.max(startedMs + (topics.indexOf(topic) + 1) * shareMs, nowMs + shareMs)
    : startedMs + measuredMs
  return { ...plan, isOver: () => performance.now() > endMs }
}

function number(name: string, text: string, least = 1): number {
  const value = Number(text)
  if (!(value >= least)) throw new Error(`--${name} must be a number of ${least} or more`)
  return value
}
