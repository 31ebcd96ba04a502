const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/**
 * Reads a duration such as "250ms", "5s", "5m", "2h" or "7d".
 *
 * @returns whole milliseconds; undefined if the text is not a duration
 */
export function parseDurationMs(text: string): number | undefined {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text.trim())
  if (!match) return undefined
  return Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS]
}

/** The shortest and the longest allowed duration, in the form that {@link parseDurationMs} reads. Both are allowed. */
export type DurationBounds = { readonly shortest: string; readonly longest: string }

/**
 * Reads a duration that must be within limits.
 *
 * @returns whole milliseconds; undefined if the text is not a duration, or is outside the limits
 */
export function parseDurationWithin(text: string, { shortest, longest }: DurationBounds): number | undefined {
  const [durationMs = NaN, shortestMs = NaN, longestMs = NaN] = [text, shortest, longest].map(parseDurationMs)
  return durationMs >= shortestMs && durationMs <= longestMs ? durationMs : undefined
}
