import { median, sum, type Times } from '../support/figures.ts'
import type { PerProcess } from './costs.ts'
import type { Topic } from './plan.ts'

/** What one phase measured. */
export type Figure = {
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
  if (typeof first === 'number') return (SUMMED.has(name) ? sum : median)(there as readonly number[])
  if (typeof first !== 'object') return first
  const objects = there as readonly Readonly<Record<string, unknown>>[]
  const names = new Set(objects.flatMap((value) => Object.keys(value)))
  const ofAll = (each: string) => objects.map((value) => value[each])
  return Object.fromEntries([...names].map((each) => [each, merge(each, ofAll(each))]))
}

/** Merges each figure over the rounds in which it was measured. A figure that failed in one round says so. */
export const mergeRounds = ([first = [], ...others]: readonly (readonly Figure[])[]): Figure[] =>
  first.map((figure, index) => merge('', [figure, ...others.map((round) => round[index])]) as Figure)

type Named = readonly [topic: Topic, what: RegExp]
type Ratio = readonly [says: string, over: Named, under: Named, least: number]

const SINGLE: Named = ['accept', /^single, 32 /]
/** Ratios that hold on any machine, however busy, with wide margins: each compares two figures of the same run. */
const RATIOS: readonly Ratio[] = [
  ['a batch of 100 is accepted faster than single events', ['accept', /^batches/], SINGLE, 1.5],
  ['many connections are not slower than one', SINGLE, ['accept', /^single, 1 /], 0.5],
  ['accepting is not far below a bare Koa', SINGLE, ['floors', /Koa/], 0.003],
  ['deliveries are not far below bare workflows', ['deliver', /^end to end$/], ['floors', /^workflows/], 0.1],
]

/** What each topic that was measured gave. */
export type Results = Partial<Record<Topic, { readonly figures: readonly Figure[] }>>

/** Finds what went wrong: losses and duplicates, and in a quick run ratios that are too low. */
export function findFaults(results: Results, { isQuick }: { isQuick: boolean }): string[] {
  const faults: string[] = []
  for (const [topic, { figures }] of Object.entries(results))
    for (const { what, lost = 0, duplicates = 0 } of figures)
      if (lost + duplicates > 0) faults.push(`${topic}, ${what}: ${lost} lost, ${duplicates} twice`)
  if (!isQuick) return faults
  const rate = ([topic, named]: Named) =>
    results[topic]?.figures.find(({ what }) => named.test(what))?.perSecond ?? NaN
  for (const [says, over, under, least] of RATIOS) {
    const ratio = rate(over) / rate(under)
    if (ratio < least)
      faults.push(`${says}: the ratio is ${ratio.toFixed(3)}, at least ${least} was expected`)
  }
  return faults
}
