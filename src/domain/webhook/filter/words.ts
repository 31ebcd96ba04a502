import type { Comparison, Condition } from './condition.ts'
import type { CompiledFilter, FilterVerdict } from './compile.ts'
import { fieldOf, isIndex } from './path.ts'

/** The longest part of a value that is shown, in characters. */
const SHOWN = 80

/** How a filter judges past events, for its preview. */
export type FilterPreview = {
  readonly examined: number
  readonly matched: number
  /** The latest events that match, and the latest events that do not match, newest first. */
  readonly examples: readonly {
    readonly eventId: string
    readonly isMatch: boolean
    readonly because: string
  }[]
}

/**
 * Says in plain words why an event matches a filter or not. It names the first condition that fails, or says that all
 * hold.
 *
 * @param envelope the event that was judged
 */
export function because(filter: CompiledFilter | null, verdict: FilterVerdict, envelope: object): string {
  if (filter === null) return 'There is no filter: every event matches.'
  if (verdict.kind === 'too_much')
    return 'The event has too many values to compare: it is delivered without being judged.'
  if (verdict.kind === 'fails') return failure(verdict.condition, envelope)
  const { length } = filter.conditions
  return length === 1 ? 'The condition holds.' : `All ${length} conditions hold.`
}

function failure(condition: Condition, envelope: object): string {
  switch (condition.kind) {
    case 'any': {
      const { length } = condition.alternatives
      return `None of the ${length} alternatives in ${condition.place} holds.`
    }
    case 'not':
      return `What ${condition.place} excludes is the case.`
    case 'field':
      return `${condition.path} is ${shown(valueAt(envelope, condition.path))}; it must ${demand(condition)}.`
  }
}

/** The words for each operator. The first text goes before the filter's value, the second one after it. */
const DEMANDS = {
  $eq: ['be'],
  $ne: ['not be'],
  $gt: ['be greater than'],
  $gte: ['be', 'or greater'],
  $lt: ['be less than'],
  $lte: ['be', 'or less'],
  $in: ['be one of'],
  $nin: ['be none of'],
  $regex: ['match'],
} as const

function demand({ operator, value }: Comparison): string {
  if (operator === '$exists') return value ? 'be there' : 'not be there'
  const [before, ...after] = DEMANDS[operator]
  return [before, shown(value), ...after].join(' ')
}

/** The value at a path, as it is shown. It is a list if the path goes through an array. */
function valueAt(envelope: object, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => {
    if (!Array.isArray(value) || isIndex(name)) return fieldOf(value, name)
    return value.slice(0, SHOWN).map((entry: unknown) => fieldOf(entry, name))
  }, envelope)
}

/** A value as JSON, cut if it is long. */
function shown(value: unknown): string {
  if (value === undefined) return 'missing'
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, SHOWN + 1) : value)
  return text.length > SHOWN ? `${text.slice(0, SHOWN).replace(/[\uD800-\uDBFF]$/, '')}…` : text
}
