/** A time in which a webhook was inactive. `endsAt` null: it still is. */
export type Pause = {
  readonly startsAt: Date
  readonly endsAt: Date | null
  /** The event types that it subscribed to then. */
  readonly eventTypes: readonly string[]
}

/** A part of a window, from `from` and before `until`, and the types of the events in it that a recovery brings. */
export type Segment = { readonly from: Date; readonly until: Date; readonly eventTypes: readonly string[] }

/**
 * Pauses count so much longer on both sides: the time of an event and that of a change come from different clocks, and a
 * publish may have read the webhook a little before. What was delivered all the same is not delivered again.
 */
export const WIDENED_MS = 5_000

/**
 * The parts of a window in which events made no delivery because the webhook was inactive, in order and without overlap.
 *
 * @param eventTypes those that the webhook subscribes to now: only these count
 */
export function missedSegments(
  pauses: readonly Pause[],
  window: { readonly since: Date; readonly until: Date },
  eventTypes: readonly string[],
): Segment[] {
  const [first, last] = [window.since.getTime(), window.until.getTime()]
  const ranges = pauses
    .map(({ startsAt, endsAt, eventTypes: subscribed }) => ({
      from: Math.max(first, startsAt.getTime() - WIDENED_MS),
      until: Math.min(last, (endsAt?.getTime() ?? Infinity) + WIDENED_MS),
      eventTypes: subscribed.filter((type) => eventTypes.includes(type)),
    }))
    .filter((range) => range.eventTypes.length > 0)
  const moments = [...new Set(ranges.flatMap(({ from, until }) => [from, until]))].sort((a, b) => a - b)
  return moments.flatMap((from, index) => {
    const until = moments[index + 1]
    if (until === undefined) return []
    const covering = ranges.filter((range) => range.from <= from && until <= range.until)
    const types = [...new Set(covering.flatMap((range) => range.eventTypes))].sort()
    return types.length === 0 ? [] : [{ from: new Date(from), until: new Date(until), eventTypes: types }]
  })
}

/** The latest of a webhook's pauses. One that ended as the next began, with a change of the event types, is part of it. */
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
