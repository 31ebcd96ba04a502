/** A time in which a webhook was inactive. `endsAt` null: it is inactive now. */
export type Pause = {
  readonly startsAt: Date
  readonly endsAt: Date | null
  /** The event types that the webhook subscribed to during the pause. */
  readonly eventTypes: readonly string[]
}

/**
 * A part of a window: from `from` on, and before `until`. A recovery sends the events of these types that lie in it.
 */
export type Segment = { readonly from: Date; readonly until: Date; readonly eventTypes: readonly string[] }

/**
 * Each pause is extended by this many milliseconds on both sides. Events and changes take their times from different
 * clocks, and a publish may have read the webhook a little before its change. Events that already have a delivery are
 * not delivered again.
 */
export const WIDENED_MS = 5_000

/**
 * The parts of a window in which events made no delivery because the webhook was inactive. They are in order and
 * without overlap, and neighbours with the same types are joined. The function sorts the ends of the pauses and goes
 * through them, in n log n.
 *
 * @param eventTypes the types that the webhook subscribes to now; only these count
 */
export function missedSegments(
  pauses: readonly Pause[],
  window: { readonly since: Date; readonly until: Date },
  eventTypes: readonly string[],
): Segment[] {
  const segments: Segment[] = []
  /** For each type, how many pauses cover the present place. */
  const covering = new Map<string, number>()
  const edges = edgesOf(pauses, window, eventTypes)
  for (const [index, { at, step, types }] of edges.entries()) {
    for (const type of types) {
      const count = (covering.get(type) ?? 0) + step
      if (count === 0) covering.delete(type)
      else covering.set(type, count)
    }
    const until = edges[index + 1]?.at
    if (covering.size > 0 && until !== undefined && until > at)
      append(segments, {
        from: new Date(at),
        until: new Date(until),
        eventTypes: [...covering.keys()].sort(),
      })
  }
  return segments
}

/** Where a pause with these types begins (`step` 1) or ends (-1), in milliseconds since 1970. */
type Edge = { readonly at: number; readonly step: 1 | -1; readonly types: readonly string[] }

function edgesOf(
  pauses: readonly Pause[],
  { since, until: end }: { readonly since: Date; readonly until: Date },
  eventTypes: readonly string[],
): Edge[] {
  const wanted = new Set(eventTypes)
  const edges = pauses.flatMap(({ startsAt, endsAt, eventTypes: subscribed }): Edge[] => {
    const from = Math.max(since.getTime(), startsAt.getTime() - WIDENED_MS)
    const until = Math.min(end.getTime(), (endsAt?.getTime() ?? Infinity) + WIDENED_MS)
    const types = subscribed.filter((type) => wanted.has(type))
    if (from >= until || types.length === 0) return []
    return [
      { at: from, step: 1, types },
      { at: until, step: -1, types },
    ]
  })
  return edges.sort((a, b) => a.at - b.at)
}

function append(segments: Segment[], segment: Segment): void {
  const last = segments.at(-1)
  const isSame =
    last?.until.getTime() === segment.from.getTime() && last.eventTypes.join() === segment.eventTypes.join()
  if (isSame) segments[segments.length - 1] = { ...last, until: segment.until }
  else segments.push(segment)
}

/**
 * A webhook's latest pause. A change of the event types divides a pause in two. Parts that follow each other without a
 * gap count as one pause here.
 */
export function latestPause(pauses: readonly Pause[]): Pick<Pause, 'startsAt' | 'endsAt'> | undefined {
  const [latest, ...earlier] = pauses.toSorted((a, b) => b.startsAt.getTime() - a.startsAt.getTime())
  if (!latest) return undefined
  let { startsAt } = latest
  for (const pause of earlier) {
    if (pause.endsAt?.getTime() !== startsAt.getTime()) break
    startsAt = pause.startsAt
  }
  return { startsAt, endsAt: latest.endsAt }
}
