import type { Pattern } from './pattern.ts'

/** The parts of an event that a filter may look at. */
export const FILTER_ROOTS = ['event', 'data', 'previous', 'subject'] as const

/** What a filter may consist of. Together these limits bound the work of judging by it: see ./work.ts. */
export const FILTER_LIMITS = {
  /** As JSON, in bytes. */
  bytes: 4_096,
  /** Levels of nested objects. */
  depth: 5,
  /** Entries of one $in, $nin, $and or $or. */
  listed: 100,
  /** How many $regex, and how many instructions all of them together compile to; see MOST_WORK. */
  patterns: 10,
  patternSize: 60,
} as const

/**
 * What all filters of a tenant may consist of: the bytes of their JSON, and how many webhooks have a filter with a $regex. So
 * judging an event without arrays by all of them takes about 50 ms at most; see MOST_EVENT_WORK.
 */
export const TENANT_FILTER_LIMITS = { bytes: 200 * 1024, withPatterns: 50 } as const

/** A filter as a client writes it. */
export type Filter = Readonly<Record<string, unknown>>

export type Scalar = string | number | boolean | null

/** One condition of a filter. All conditions of a list must hold. `place` says where it stands in the filter. */
export type Condition =
  | { readonly kind: 'any'; readonly place: string; readonly alternatives: readonly (readonly Condition[])[] }
  | { readonly kind: 'not'; readonly place: string; readonly conditions: readonly Condition[] }
  | FieldCondition

/** A condition about the value at a path. */
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
