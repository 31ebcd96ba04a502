import type { Pattern } from './pattern.ts'

/** The parts of an event that a filter can test. */
export const FILTER_ROOTS = ['event', 'data', 'previous', 'subject'] as const

/** The limits of a filter. Together they limit the work of judging an event by the filter: see ./work.ts. */
export const FILTER_LIMITS = {
  /** The bytes of its JSON. */
  bytes: 4_096,
  /** Levels of nested objects. */
  depth: 5,
  /** Entries of one $in, $nin, $and or $or. */
  listed: 100,
  /** The number of $regex, and the number of instructions of all their compiled patterns together; see MOST_WORK. */
  patterns: 10,
  patternSize: 60,
} as const

/**
 * The limits of all filters of a tenant: the bytes of their JSON, and the number of webhooks whose filter has a $regex.
 * So all these filters together take at most about 50 ms for an event without arrays; see MOST_EVENT_WORK.
 */
export const TENANT_FILTER_LIMITS = { bytes: 200 * 1024, withPatterns: 50 } as const

/** A filter in the form in which a client writes it. */
export type Filter = Readonly<Record<string, unknown>>

export type Scalar = string | number | boolean | null

/**
 * One condition of a filter. All conditions of a list must hold. `place` is the path of the condition in the filter.
 */
export type Condition =
  | { readonly kind: 'any'; readonly place: string; readonly alternatives: readonly (readonly Condition[])[] }
  | { readonly kind: 'not'; readonly place: string; readonly conditions: readonly Condition[] }
  | FieldCondition

/** A condition for the value at a path. */
export type FieldCondition = {
  readonly kind: 'field'
  readonly place: string
  readonly path: string
} & Comparison

export type Comparison =
  | { readonly operator: '$eq' | '$ne'; readonly value: Scalar }
  | { readonly operator: '$gt' | '$gte' | '$lt' | '$lte'; readonly value: string | number }
  | { readonly operator: '$in' | '$nin'; readonly value: readonly Scalar[] }
  | { readonly operator: '$exists'; readonly value: boolean }
  | { readonly operator: '$regex'; readonly value: string; readonly pattern: Pattern }
