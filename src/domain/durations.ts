const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/**
 * Reads a duration such as "250ms", "5s", "5m", "2h" or "7d".
 *
 * @returns whole milliseconds, or undefined when the text is no duration
 */
export function parseDurationMs(text: string): number | undefined {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text.trim())
  if (!match) return undefined
  return Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS]
}

/** The shortest and the longest duration that may be given, as {@link parseDurationMs} reads them; both included. */
export type DurationBounds = { readonly shortest: string; readonly longest: string }

/**
 * Reads a duration that has to lie within bounds.
 *
 * @returns whole milliseconds, or undefined when the text is no duration or lies outside the bounds
 */
export function parseDurationWithin(text: string, { shortest, longest }: DurationBounds): number | undefined {
  const [durationMs = NaN, shortestMs = NaN, longestMs = NaN] = [text, shortest, longest].map(parseDurationMs)
  return durationMs >= shortestMs && durationMs <= longestMs ? durationMs : undefined
}
