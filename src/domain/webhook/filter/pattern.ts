import { RE2JS, RE2Set } from 're2js'

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
  /** Instructions of the compiled pattern. */
  readonly size: number
  /** Whether the pattern occurs in the first LONGEST_TESTED characters of the text. */
  readonly test: (text: string) => boolean
}

/** Compiles a pattern. It gives the reason in words when there is no such pattern in RE2. */
export function compilePattern(source: string): Pattern | { readonly reason: string } {
  try {
    const size = RE2JS.compile(source).programSize()
    const set = new RE2Set(RE2Set.UNANCHORED, 0, STATE_BYTES)
    set.add(source)
    set.compile()
    return { size, test: (text) => set.match(text.slice(0, LONGEST_TESTED)).length > 0 }
  } catch (error) {
    return {
      reason: error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'unknown',
    }
  }
}
