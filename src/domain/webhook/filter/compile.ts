import sift from 'sift'
import type { Comparison, Condition, Scalar } from './condition.ts'
import { LONGEST_TESTED } from './pattern.ts'
import { TooMuchWork, Work, WORK_PER_VALUE } from './work.ts'

/** A filter that can judge events. */
export type CompiledFilter = { readonly conditions: readonly CompiledCondition[]; readonly work: Work }

type CompiledCondition = { readonly condition: Condition; readonly holds: (envelope: object) => boolean }

/** `too_much`: judging the event takes more work than MOST_WORK or MOST_EVENT_WORK, so it was not judged. */
export type FilterVerdict =
  | { readonly kind: 'matches' }
  | { readonly kind: 'fails'; readonly condition: Condition }
  | { readonly kind: 'too_much' }

/**
 * Judges the envelope of an event: all conditions must hold. A missing field never throws.
 *
 * The work is the number of comparisons times the lengths of the arrays on their paths, and at most MOST_WORK.
 */
export function judge({ conditions, work }: CompiledFilter, envelope: object): FilterVerdict {
  work.begin()
  try {
    const failed = conditions.find(({ holds }) => !holds(envelope))
    return failed ? { kind: 'fails', condition: failed.condition } : { kind: 'matches' }
  } catch (error) {
    // A RangeError: nested arrays have overflowed the stack.
    if (error instanceof TooMuchWork || error instanceof RangeError) return { kind: 'too_much' }
    throw error
  }
}

/** Whether the event makes a delivery. One that was not judged does: too many deliveries are better than too few. */
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

type Options = NonNullable<Parameters<typeof sift.createQueryTester>[1]>
type Create = NonNullable<Options['operations']>[string]

/** The only operators that sift knows. */
function operationsOf(work: Work): Record<string, Create> {
  const counted =
    (create: Create): Create =>
    (...args) => {
      const operation = create(...args)
      const next = operation.next.bind(operation)
      operation.next = (item, key, owner: unknown, ...rest) => {
        work.spend(WORK_PER_VALUE)
        // sift also reads properties of texts, such as `length` and `0`. Here a text has no fields.
        if (typeof owner === 'string') next(undefined, key, undefined, ...rest)
        else next(item, key, owner, ...rest)
      }
      return operation
    }
  return {
    $and: sift.$and,
    $or: sift.$or,
    $not: sift.$not,
    $exists: counted(sift.$exists),
    // Compares with a function in place of a value, so that sift neither copies nor walks what it compares.
    $is: counted(sift.$eq),
    $isNot: counted(sift.$ne),
    $pattern: counted(({ size, test }: { size: number; test: (text: string) => boolean }, owner, options) =>
      sift.$eq(
        (value: unknown) => {
          if (typeof value !== 'string') return false
          work.spend(size * Math.min(value.length + 1, LONGEST_TESTED))
          return test(value)
        },
        owner as object,
        options,
      ),
    ),
  }
}

type Query = Record<string, unknown>

/** A condition as sift's query, with our operators in place of those that the client wrote. */
function queryOf(condition: Condition): Query {
  switch (condition.kind) {
    case 'any':
      return { $or: condition.alternatives.map(allOf) }
    case 'not':
      return { $not: allOf(condition.conditions) }
    case 'field':
      return { [condition.path]: operatorOf(condition) }
  }
}

const allOf = (conditions: readonly Condition[]): Query => ({ $and: conditions.map(queryOf) })

function operatorOf(comparison: Comparison): Query {
  switch (comparison.operator) {
    case '$eq':
    case '$in':
      return { $is: equals([comparison.value].flat()) }
    case '$ne':
    case '$nin':
      return { $isNot: equals([comparison.value].flat()) }
    case '$gt':
      return { $is: compares(comparison.value, (value, than) => value > than) }
    case '$gte':
      return { $is: compares(comparison.value, (value, than) => value >= than) }
    case '$lt':
      return { $is: compares(comparison.value, (value, than) => value < than) }
    case '$lte':
      return { $is: compares(comparison.value, (value, than) => value <= than) }
    case '$exists':
      return { $exists: comparison.value }
    case '$regex':
      return { $pattern: comparison.pattern }
  }
}

/** Whether a value is one of these. A missing field equals null, as in MongoDB. */
function equals(values: readonly Scalar[]): (value: unknown) => boolean {
  const wanted = new Set<unknown>(values)
  return (value) => wanted.has(value === undefined ? null : value)
}

/** Compares numbers with numbers and texts with texts; nothing else is greater or less. */
const compares =
  <Than extends string | number>(than: Than, holds: (value: Than, than: Than) => boolean) =>
  (value: unknown): boolean =>
    typeof value === typeof than && holds(value as Than, than)
