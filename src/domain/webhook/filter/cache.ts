import { parseFilter } from './check.ts'
import { compileConditions, type CompiledFilter } from './compile.ts'
import type { Condition, Filter } from './condition.ts'

/**
 * Compiles a filter that was checked when it was stored. If this release cannot read the filter, it compiles one without
 * conditions. So the webhook gets every event, because too many events are better than none.
 */
export function compileFilter(filter: Filter): CompiledFilter {
  const parsed = parseFilter(filter)
  return compileConditions(parsed.ok ? parsed.conditions : [])
}

/** The limits of the estimated memory for compiled filters, in bytes: of one company, and of all companies together. */
const KEPT_BYTES = { company: 16 * 1024 * 1024, all: 64 * 1024 * 1024 }
const BYTES_PER_CHARACTER = 20
/** This includes the states that a compiled pattern keeps from one match to the next. */
const BYTES_PER_PATTERN = 6_000
const BYTES_PER_INSTRUCTION = 200

type Known = { readonly filter: CompiledFilter; readonly bytes: number }
type Share = { readonly known: Map<string, Known>; bytes: number }

/**
 * The filters that this process has compiled, by company and JSON text. It keeps them because each publish needs the
 * filters of all subscribers. The filters of a company always fit into its share, because ./condition.ts limits their
 * text and patterns.
 */
export class FilterCache {
  readonly #shares = new Map<string, Share>()
  readonly #limits: typeof KEPT_BYTES
  #bytes = 0

  constructor(limits = KEPT_BYTES) {
    this.#limits = limits
  }

  /**
   * The compiled filter of this text. If a company exceeds its limit, its least recently used filters are removed. If
   * all companies together exceed their limit, the company whose filters take the most memory loses its least recently
   * used ones.
   */
  get(companyId: string, text: string): CompiledFilter {
    const share = this.#shares.get(companyId) ?? { known: new Map<string, Known>(), bytes: 0 }
    this.#shares.set(companyId, share)
    const known = share.known.get(text)
    share.known.delete(text)
    const entry = known ?? this.#compile(text)
    share.known.set(text, entry)
    if (!known) this.#grow(share, entry.bytes)
    while (share.bytes > this.#limits.company && share.known.size > 1) this.#forgetOldest(companyId, share)
    while (this.#bytes > this.#limits.all && this.size > 1) this.#forgetOldest(...this.#largest())
    return entry.filter
  }

  /** Whether a compiled filter of the company is kept. */
  has(companyId: string): boolean {
    return this.#shares.has(companyId)
  }

  get size(): number {
    return [...this.#shares.values()].reduce((sum, { known }) => sum + known.size, 0)
  }

  #grow(share: Share, bytes: number): void {
    share.bytes += bytes
    this.#bytes += bytes
  }

  #forgetOldest(companyId: string, share: Share): void {
    for (const [text, { bytes }] of share.known) {
      share.known.delete(text)
      this.#grow(share, -bytes)
      break
    }
    if (share.known.size === 0) this.#shares.delete(companyId)
  }

  #largest(): [string, Share] {
    return [...this.#shares].reduce((most, other) => (other[1].bytes > most[1].bytes ? other : most))
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
