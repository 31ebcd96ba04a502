import { parseArgs } from 'node:util'

/** The topics, in the order in which they are measured. */
const TOPICS = ['accept', 'deliver', 'floors', 'bad', 'processes', 'steady'] as const
const QUICK_TOPICS = ['accept', 'deliver', 'floors']
/** The ways to a first attempt. */
const LANES = ['workflow', 'direct'] as const

export type Topic = (typeof TOPICS)[number]
export type Lane = (typeof LANES)[number]
export type Plan = ReturnType<typeof readPlan>

/**
 * Reads the arguments of the command line.
 *
 * @returns isWritten: whether the figures are written into docs/benchmarks.md; json: the file into which they are written too
 * @throws Error for an unknown option or topic, or options that exclude each other
 */
export function readPlan() {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      only: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      lanes: { type: 'string' },
      old: { type: 'string', default: '0' },
      json: { type: 'string' },
    },
  })
  const { quick: isQuick, write: isWritten, json } = values
  // A shorter phase would mostly measure its own beginning and end.
  const seconds = number('seconds', values.seconds ?? (isQuick ? '0.5' : '8'), 0.5)
  const oldDeliveries = number('old', values.old, 0)
  if (isWritten && oldDeliveries > 0)
    throw new Error('--write is for figures of an empty database: leave --old out')
  return {
    isQuick,
    isWritten,
    json,
    topics: choose(values.only?.split(',') ?? (isQuick ? QUICK_TOPICS : TOPICS), 'topic', TOPICS),
    lanes: choose(values.lanes?.split(',') ?? LANES.slice(0, isQuick ? 1 : undefined), 'lane', LANES),
    rounds: number('rounds', values.rounds ?? (isQuick ? '1' : '2')),
    /** The length of a phase that publishes as fast as it can. */
    seconds,
    /** The length of a phase at 20 or 200 events a second. */
    pacedSeconds: isQuick ? 1 : Math.max(10, seconds),
    /** Deliveries that are in the database before the first phase. */
    oldDeliveries,
    /** How long a phase waits for the rest of the work of the one before, and of its own. */
    longestRestMs: isQuick ? 1_500 : 15_000,
  }
}

/** Returns the names in the order of `known`. */
function choose<Name extends string>(names: readonly string[], what: string, known: readonly Name[]): Name[] {
  const unknown = names.find((name) => !known.some((each) => each === name))
  if (unknown !== undefined)
    throw new Error(`There is no ${what} "${unknown}": choose from ${known.join(', ')}`)
  return known.filter((name) => names.includes(name))
}

function number(name: string, text: string, least = 1): number {
  const value = Number(text)
  if (!(value >= least)) throw new Error(`--${name} must be a number of ${least} or more`)
  return value
}
