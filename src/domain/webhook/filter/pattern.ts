import { RE2Set } from 're2js'
import { patternSize } from './pattern-size.ts'

/** Longest pattern and longest tested part of a text, in UTF-16 code units. */
export const LONGEST_PATTERN = 200
export const LONGEST_TESTED = 1_000

/**
 * Memory for the states that a pattern keeps between tests, in bytes. RE2JS alone would keep up to 8 MiB; a set of one pattern
 * takes this limit, and beyond it goes through the pattern's instructions for each character.
 */
const STATE_BYTES = 4_096

/** A regular expression with the semantics of RE2: time grows with pattern and text, never exponentially. */
export type Pattern = {
  /** Instructions of the compiled pattern, at most. */
  readonly size: number
  /** Whether the pattern occurs in the first LONGEST_TESTED characters of the text. */
  readonly test: (text: string) => boolean
}

/** What there is no pattern for: `large` ones are not compiled; of others RE2 says in words what is wrong. */
export type NoPattern = { readonly kind: 'large' } | { readonly kind: 'no_pattern'; readonly reason: string }

/** Compiles a pattern, unless it is larger than `most` instructions. */
export function compilePattern(source: string, most: number): Pattern | NoPattern {
  const size = patternSize(source)
  if (size > most) return { kind: 'large' }
  try {
    const set = new RE2Set(RE2Set.UNANCHORED, 0, STATE_BYTES)
    set.add(source)
    set.compile()
    return { size, test: (text) => set.match(text.slice(0, LONGEST_TESTED)).length > 0 }
  } catch (error) {
    const said = error instanceof Error ? error.message : 'unknown'
    return { kind: 'no_pattern', reason: said.replace(/^error parsing regexp: /, '') }
  }
}
