import { parseFilter } from './check.ts'
import { compileConditions, type CompiledFilter } from './compile.ts'
import type { Condition, Filter } from './condition.ts'

/**
 * Compiles a filter that was checked when it was stored. One that this release can no longer read has no conditions, so that
 * its webhook gets every event: too many are better than none.
 */
export function compileFilter(filter: Filter): CompiledFilter {
  const parsed = parseFilter(filter)
  return compileConditions(parsed.ok ? parsed.conditions : [])
}

/** Memory of the filters that a process keeps compiled, in bytes, estimated. */
const KEPT_BYTES = 64 * 1024 * 1024
const BYTES_PER_CHARACTER = 20
/** With the states that a pattern keeps. */
const BYTES_PER_PATTERN = 6_000
const BYTES_PER_INSTRUCTION = 200

/** Filters that a process has compiled, by their JSON text: each publish needs those of all subscribers again. */
export class KnownFilters {
  readonly #known = new Map<string, { readonly filter: CompiledFilter; readonly bytes: number }>()
  readonly #mostBytes: number
  #bytes = 0

  constructor(mostBytes = KEPT_BYTES) {
    this.#mostBytes = mostBytes
  }

  /** The filter with this text, compiled. The one that was asked for longest ago goes first when there is no room. */
  get(text: string): CompiledFilter {
    const known = this.#known.get(text)
    this.#known.delete(text)
    const entry = known ?? this.#compile(text)
    this.#known.set(text, entry)
    if (!known) this.#bytes += entry.bytes
    for (const [oldest, { bytes }] of this.#known) {
      if (this.#bytes <= this.#mostBytes || oldest === text) break
      this.#known.delete(oldest)
      this.#bytes -= bytes
    }
    return entry.filter
  }

  get size(): number {
    return this.#known.size
  }

  #compile(text: string) {
    const filter = compileFilter(JSON.parse(text) as Filter)
    const conditions = filter.conditions.map(({ condition }) => condition)
    return { filter, bytes: text.length * BYTES_PER_CHARACTER + bytesOfPatterns(conditions) }
  }
}

const bytesOfPatterns = (conditions: readonly Condition[]): number =>
  conditions.reduce((sum, condition) => {
    switch (condition.kind) {
      case 'any':
        return sum + bytesOfPatterns(condition.alternatives.flat())
      case 'not':
        return sum + bytesOfPatterns(condition.conditions)
      case 'field': {
        if (condition.operator !== '$regex') return sum
        return sum + BYTES_PER_PATTERN + condition.pattern.size * BYTES_PER_INSTRUCTION
      }
    }
  }, 0)
