import sift from 'sift'
import type { Condition } from './condition.ts'
import { operationsOf, queryOf } from './query.ts'
import { TooMuchWork, Work } from './work.ts'

/** A filter that can judge events. */
export type CompiledFilter = { readonly conditions: readonly CompiledCondition[]; readonly work: Work }

type CompiledCondition = { readonly condition: Condition; readonly holds: (envelope: object) => boolean }

/** `too_much`: the event has more to compare than MOST_WORK allows, so nobody knows. */
export type FilterVerdict =
  | { readonly kind: 'matches' }
  | { readonly kind: 'fails'; readonly condition: Condition }
  | { readonly kind: 'too_much' }

/**
 * Judges the envelope of an event: all conditions must hold. A missing field never throws.
 *
 * It costs the number of comparisons times the lengths of the arrays on their paths, and never more than MOST_WORK.
 */
export function judge({ conditions, work }: CompiledFilter, envelope: object): FilterVerdict {
  work.begin()
  try {
    const failed = conditions.find(({ holds }) => !holds(envelope))
    return failed ? { kind: 'fails', condition: failed.condition } : { kind: 'matches' }
  } catch (error) {
    // A RangeError: arrays lie in each other too deep for the stack.
    if (error instanceof TooMuchWork || error instanceof RangeError) return { kind: 'too_much' }
    throw error
  }
}

/** Whether the event makes a delivery. One that nobody can judge does: too many deliveries are better than too few. */
export const passes = (verdict: FilterVerdict): boolean => verdict.kind !== 'fails'

export function compileConditions(conditions: readonly Condition[]): CompiledFilter {
  const work = new Work()
  const options = { operations: operationsOf(work) }
  return {
    work,
    conditions: conditions.map((condition) => ({
      condition,
      holds: sift.createQueryTester(queryOf(condition), options),
    })),
  }
}
