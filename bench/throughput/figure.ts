import { median, type PerProcess, type Times } from '../support/figures.ts'

/** What one phase measured. */
export type Figure = {
  /** The topic, such as accept. */
  readonly topic: string
  readonly what: string
  /** Who makes the first attempt. */
  readonly lane?: string
  readonly webhooks?: number
  /** How long an endpoint takes to answer. */
  readonly receiverMs?: number
  /** Accepted events. */
  readonly events?: number
  /** Events a second, or deliveries with a fan-out; undefined when the rate cannot be reached. */
  readonly perSecond?: number
  /** Events accepted a second, meanwhile. */
  readonly acceptPerSecond?: number
  /** Times from a request to its answer. */
  readonly acceptMs?: Times
  /** Times from sending an event to its first arrival at an endpoint. */
  readonly receivedMs?: Times
  /** Seconds of processor time for 1,000 events. */
  readonly cpu?: PerProcess
  /** Statements that the database got for an event, those of idle work too. */
  readonly statements?: number
  /** How often a thread of the service was woken for an event. */
  readonly wakeUps?: number
  /** How often a statement waited for a row that another one locks. */
  readonly lockWaits?: number
  /** Deliveries of accepted events that did not arrive (accept: that have no row). */
  readonly lost?: number
  /** Arrivals after one that was answered with 2xx. */
  readonly duplicates?: number
  /** Requests by status; 0 is a connection that ended. */
  readonly refused?: Readonly<Record<string, number>>
  /** MiB, early and late in the phase. */
  readonly memory?: { readonly early: PerProcess; readonly late: PerProcess }
  /** Bytes in the database for one delivery, with its event, its attempts and their indexes. */
  readonly bytes?: number
  /** Peak memory of each process in the lane. Only the lane's first figure has it. */
  readonly peaks?: PerProcess
  /** Why there is no figure, such as how far the phase came. */
  readonly cannot?: string
}

/** Summed over the rounds: a single lost delivery must show. */
const SUMMED = new Set(['lost', 'duplicates', 'events', 'lockWaits'])

/** Merges the same value of every round: medians or sums of numbers, and of a text the first. */
function merge(name: string, values: readonly unknown[]): unknown {
  const there: readonly unknown[] = values.filter((value) => value !== undefined)
  const [first] = there
  if (typeof first === 'number') {
    const numbers = there as readonly number[]
    return SUMMED.has(name) ? numbers.reduce((sum, value) => sum + value, 0) : median(numbers)
  }
  if (typeof first !== 'object') return first
  const objects = there as readonly Readonly<Record<string, unknown>>[]
  const names = new Set(objects.flatMap((value) => Object.keys(value)))
  return Object.fromEntries(
    [...names].map((each) => {
      const ofAll = objects.map((value) => value[each])
      return [each, merge(each, ofAll)]
    }),
  )
}

/** Merges each figure over the rounds in which it was measured. A figure that failed in one round says so. */
export const mergeRounds = (rounds: readonly (readonly Figure[])[]): Figure[] =>
  (rounds[0] ?? []).map(
    (_, index) =>
      merge(
        '',
        rounds.map((round) => round[index]),
      ) as Figure,
  )

/** Ratios that hold on any machine, however busy, with wide margins: each compares two figures of the same run. */
const RATIOS: readonly Ratio[] = [
  [
    'a batch of 100 is accepted faster than single events',
    ['accept', /^batches/],
    ['accept', /^single, 32 /],
    1.5,
  ],
  ['many connections are not slower than one', ['accept', /^single, 32 /], ['accept', /^single, 1 /], 0.5],
  ['accepting is not far below a bare Koa', ['accept', /^single, 32 /], ['floors', /Koa/], 0.003],
  ['deliveries are not far below bare workflows', ['deliver', /^end to end$/], ['floors', /^workflows/], 0.1],
]

type Named = readonly [topic: string, what: RegExp]
type Ratio = readonly [says: string, over: Named, under: Named, least: number]

/** Finds what went wrong: losses and duplicates, and in a quick run ratios that are too low. */
export function findFaults(figures: readonly Figure[], { isQuick = false } = {}): string[] {
  const faults = figures
    .filter(({ lost = 0, duplicates = 0 }) => lost + duplicates > 0)
    .map(
      ({ topic, what, lost = 0, duplicates = 0 }) => `${topic}, ${what}: ${lost} lost, ${duplicates} twice`,
    )
  if (!isQuick) return faults
  const rate = ([topic, what]: Named) =>
    figures.find((figure) => figure.topic === topic && what.test(figure.what))?.perSecond ?? NaN
  for (const [says, over, under, least] of RATIOS) {
    const ratio = rate(over) / rate(under)
    if (ratio < least)
      faults.push(`${says}: the ratio is ${ratio.toFixed(3)}, at least ${least} was expected`)
  }
  return faults
}
