/** A page that a reader noted: the tags of its events, and the cursor behind them. */
type Page = { readonly cursor: string; readonly tags: readonly string[] }

/** The whole lines of a reader's file. A kill may have cut the last one: its page is read again. */
export const readPages = (text: string): Page[] =>
  text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as Page]
    } catch {
      return []
    }
  })

export type FeedAccount = {
  readonly accepted: number
  readonly read: number
  readonly missing: readonly string[]
  readonly repeated: readonly string[]
  readonly outOfOrder: readonly string[]
}

/**
 * Compares what writers know was accepted with what a reader read, by tags `row/number`. A row was written one after the
 * other, so the accepted ones of a row must come with rising numbers. Linear in both.
 */
export function compareFeed(accepted: ReadonlySet<string>, read: readonly string[]): FeedAccount {
  const seen = new Set<string>()
  const latest = new Map<string, number>()
  const repeated: string[] = []
  const outOfOrder: string[] = []
  for (const tag of read) {
    if (seen.has(tag)) repeated.push(tag)
    seen.add(tag)
    const [, row = '', number] = /^(.*)\/(\d+)$/.exec(tag) ?? []
    if (!accepted.has(tag)) continue
    if (Number(number) < (latest.get(row) ?? -1)) outOfOrder.push(tag)
    latest.set(row, Number(number))
  }
  const missing = [...accepted].filter((tag) => !seen.has(tag))
  return { accepted: accepted.size, read: read.length, missing, repeated, outOfOrder }
}

/** What two readers read must be the same list: gives the tags of the first place where it is not. */
export const firstDifference = (one: readonly string[], other: readonly string[]): string[] =>
  one
    .flatMap((tag, place) => (tag === other[place] ? [] : [`${tag} and ${other[place] ?? 'nothing'}`]))
    .slice(0, 1)
