import type { Comparison, Condition, Scalar } from './condition.ts'
import { holdsAt } from './path.ts'
import { LONGEST_TESTED, type Pattern } from './pattern.ts'
import { TooMuchWork, Work, WORK_PER_VALUE } from './work.ts'

/** A filter that can judge events. */
export type CompiledFilter = { readonly conditions: readonly CompiledCondition[]; readonly work: Work }

type Holds = (envelope: object) => boolean
type CompiledCondition = { readonly condition: Condition; readonly holds: Holds }

/** `too_much`: judging would take more work than MOST_WORK or MOST_EVENT_WORK, so the event was not judged. */
export type FilterVerdict =
  | { readonly kind: 'matches' }
  | { readonly kind: 'fails'; readonly condition: Condition }
  | { readonly kind: 'too_much' }

/**
 * Judges the envelope of an event: all conditions must hold. A missing field never throws.
 *
 * The work is at most the number of comparisons times the lengths of the arrays on their paths. Beyond MOST_WORK the
 * judgement stops.
 */
export function judge({ conditions, work }: CompiledFilter, envelope: object): FilterVerdict {
  work.begin()
  try {
    const failed = conditions.find(({ holds }) => !holds(envelope))
    return failed ? { kind: 'fails', condition: failed.condition } : { kind: 'matches' }
  } catch (error) {
    if (error instanceof TooMuchWork) return { kind: 'too_much' }
    throw error
  }
}

/**
 * Whether the event makes a delivery. An event that was not judged makes a delivery, because too many deliveries are
 * better than too few.
 */
export const passes = (verdict: FilterVerdict): boolean => verdict.kind !== 'fails'

export function compileConditions(conditions: readonly Condition[]): CompiledFilter {
  const work = new Work()
  return {
    work,
    conditions: conditions.map((condition) => ({ condition, holds: compileCondition(condition, work) })),
  }
}

function compileCondition(condition: Condition, work: Work): Holds {
  switch (condition.kind) {
    case 'any': {
      const alternatives = condition.alternatives.map((alternative) => allOf(alternative, work))
      return (envelope) => alternatives.some((holds) => holds(envelope))
    }
    case 'not': {
      const excluded = allOf(condition.conditions, work)
      return (envelope) => !excluded(envelope)
    }
    case 'field': {
      const path = condition.path.split('.')
      const { holds, isExcluded = false } = testOf(condition, work)
      const question = { holds, visit: () => work.spend(WORK_PER_VALUE) }
      return (envelope) => holdsAt(envelope, path, question) !== isExcluded
    }
  }
}

function allOf(conditions: readonly Condition[], work: Work): Holds {
  const all = conditions.map((condition) => compileCondition(condition, work))
  return (envelope) => all.every((holds) => holds(envelope))
}

/** The test for each value at the path. `isExcluded`: the condition holds only if no value passes the test. */
type Test = { readonly holds: (value: unknown) => boolean; readonly isExcluded?: boolean }

function testOf(comparison: Comparison, work: Work): Test {
  switch (comparison.operator) {
    case '$eq':
    case '$in':
      return { holds: equals([comparison.value].flat()) }
    case '$ne':
    case '$nin':
      return { holds: equals([comparison.value].flat()), isExcluded: true }
    case '$gt':
      return { holds: compares(comparison.value, (value, than) => value > than) }
    case '$gte':
      return { holds: compares(comparison.value, (value, than) => value >= than) }
    case '$lt':
      return { holds: compares(comparison.value, (value, than) => value < than) }
    case '$lte':
      return { holds: compares(comparison.value, (value, than) => value <= than) }
    case '$exists':
      return { holds: (value) => value !== undefined, isExcluded: !comparison.value }
    case '$regex':
      return { holds: matches(comparison.pattern, work) }
  }
}

const matches =
  ({ size, test }: Pattern, work: Work) =>
  (value: unknown): boolean => {
    if (typeof value !== 'string') return false
    work.spend(size * Math.min(value.length + 1, LONGEST_TESTED))
    return test(value)
  }

/** Whether a value is in the list. A missing field equals null, as in MongoDB. */
function equals(values: readonly Scalar[]): (value: unknown) => boolean {
  const wanted = new Set<unknown>(values)
  return (value) => wanted.has(value === undefined ? null : value)
}

/** Compares numbers with numbers and texts with texts. Other values are neither greater nor less. */
const compares =
  <Than extends string | number>(than: Than, holds: (value: Than, than: Than) => boolean) =>
  (value: unknown): boolean =>
    typeof value === typeof than && holds(value as Than, than)
