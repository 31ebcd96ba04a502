import { isDeepStrictEqual } from 'node:util'

/** What a copy has of a record; `record` is null once it was deleted. */
export type Held = { readonly revision: number; readonly record: unknown }

/** Compares a copy with the table, record by record. @returns the ids by how they compare. Linear in both */
export function compareCopy(table: ReadonlyMap<string, object>, copy: ReadonlyMap<string, Held>) {
  const [same, different, missing]: [string[], string[], string[]] = [[], [], []]
  for (const [id, record] of table) {
    const held = copy.get(id)?.record ?? undefined
    const list = held === undefined ? missing : isDeepStrictEqual(held, record) ? same : different
    list.push(id)
  }
  const extra = [...copy].flatMap(([id, { record }]) => (record !== null && !table.has(id) ? [id] : []))
  return { same, different, missing, extra }
}

/**
 * Names an event of the feed by what its writer knows. The answer to a deletion does not tell the revision, so the name leaves it out.
 *
 * @param id of the record, or of an event that was published without one
 */
export const nameOf = (event: string, id: string, revision?: number): string =>
  `${event} ${id} ${event.endsWith('.deleted') ? '' : revision}`

/**
 * Compares what writers know was accepted with what readers of the feed have read. An event that was answered before another one was
 * sent must come before it, and all readers must have the same order. Linear in both.
 *
 * @param accepted when the call of each event began and when it was answered, in milliseconds of one clock, by the name of the event
 * @param reads the names that each reader has read
 * @returns the names by what is wrong
 */
export function compareFeed(
  accepted: ReadonlyMap<string, { sentMs: number; answeredMs: number }>,
  reads: readonly (readonly string[])[],
) {
  const faults = { missing: [] as string[], repeated: [] as string[], 'out of order': [] as string[] }
  const [first = []] = reads
  for (const read of reads) {
    const seen = new Set<string>()
    let latestSentMs = -Infinity
    for (const name of read) {
      if (seen.has(name)) faults.repeated.push(name)
      seen.add(name)
      const { sentMs = -Infinity, answeredMs = Infinity } = accepted.get(name) ?? {}
      if (answeredMs < latestSentMs) faults['out of order'].push(name)
      latestSentMs = Math.max(latestSentMs, sentMs)
    }
    for (const name of accepted.keys()) if (!seen.has(name)) faults.missing.push(name)
    const longer = read.length > first.length ? read : first
    const place = longer.findIndex((_, at) => read[at] !== first[at])
    if (place >= 0) faults['out of order'].push(`the readers differ: ${first[place]} and ${read[place]}`)
  }
  return faults
}
