import { RE2Set } from 're2js'

/** The longest pattern, and the longest part of a text that is tested, in UTF-16 code units. */
export const LONGEST_PATTERN = 200
export const LONGEST_TESTED = 1_000

/**
 * The memory for the states that a pattern keeps between tests, in bytes. RE2JS would keep up to 8 MiB. Only its RE2Set accepts
 * a limit, so each pattern is a set of one. Beyond the limit a test goes through the pattern's instructions for each character.
 */
const STATE_BYTES = 4_096

/** A regular expression with the semantics of RE2: a test's time grows with pattern and text, never exponentially. */
export type Pattern = {
  /** The pattern compiles to at most this many instructions. */
  readonly size: number
  /** Whether the pattern occurs in the first LONGEST_TESTED characters of the text. */
  readonly test: (text: string) => boolean
}

/** Why there is no pattern. Either it is too `large` and was not compiled, or RE2 refuses it for the `reason`. */
type NoPattern = { readonly kind: 'large' } | { readonly kind: 'no_pattern'; readonly reason: string }

/** Compiles a pattern if it has at most `most` instructions. */
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

/**
 * How many instructions an open group has: `own` for the group itself, `size` for all its parts except the last, and
 * `last` for the last part. A repetition multiplies `last`.
 */
type Group = { readonly own: number; size: number; last: number }

/** Matches the parts of a pattern as RE2 reads them. The names and flags of groups cost no instructions. */
const PARTS = new RegExp(
  [
    String.raw`\\Q(?<literal>.*?)(?:\\E|$)`,
    String.raw`(?<group>\((?!\?)|\(\?P?<[^>]*>|\(\?[A-Za-z-]*:)`,
    String.raw`(?<flags>\(\?[A-Za-z-]*\))`,
    String.raw`(?<end>\))`,
    String.raw`(?<or>\|)`,
    String.raw`(?<many>[*+?])`,
    String.raw`\{(?<least>0|[1-9][0-9]*)(?:(?<open>,)(?<most>0|[1-9][0-9]*)?)?\}`,
    String.raw`\[\^?\]?(?:\\[pP]\{[^\}]*\}|\\.|\[:\^?[a-z]+:\]|[^\]\\])*\]`,
    String.raw`\\[pPx]\{[^\}]*\}`,
    String.raw`\\[pP]?.`,
    '.',
  ].join('|'),
  'gsu',
)

/** A Unicode class counts as two instructions, because it takes twice as long to compile and to test. */
const UNICODE_CLASS = /\\[pP]/g

/**
 * An upper limit for the number of instructions of a pattern, found without compiling it. Repetitions multiply what they
 * repeat. For text that is not a pattern the number has no meaning.
 */
export function patternSize(source: string): number {
  let group: Group = { own: 3, size: 0, last: 0 }
  const open = [group]
  const add = (size: number): void => {
    group.size += group.last
    group.last = size
  }
  for (const { 0: text, groups = {} } of source.matchAll(PARTS)) {
    const { literal, group: opening, flags, end, or, many, least } = groups
    if (literal !== undefined) for (let left = literal.length; left > 0; left--) add(1)
    else if (opening !== undefined) {
      group = { own: text.endsWith(':') ? 0 : 2, size: 0, last: 0 }
      open.push(group)
    } else if (end !== undefined) {
      if (open.length === 1) continue
      const { own, size, last } = group
      open.pop()
      group = open.at(-1) ?? group
      add(own + Math.max(1, size + last))
    } else if (or !== undefined) {
      // One instruction for the alternation, and one in case a branch is empty.
      add(2)
      add(0)
    } else if (many !== undefined) group.last += many === '*' ? 2 : 1
    else if (least !== undefined) group.last = repeated(group.last, +least, groups)
    else if (flags === undefined) add(Math.max(1, 2 * (text.match(UNICODE_CLASS)?.length ?? 0)))
  }
  return open.reduce((sum, { own, size, last }) => sum + own + size + last, 0)
}

function repeated(size: number, least: number, { open, most }: Record<string, string | undefined>): number {
  if (open === undefined) return Math.max(1, size * least)
  if (most === undefined) return size * Math.max(1, least) + 2
  return Math.max(1, size * least + (size + 1) * Math.max(0, +most - least))
}
