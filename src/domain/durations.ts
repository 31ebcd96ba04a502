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

/** The shortest text that {@link parseDurationMs} reads back as the same number of milliseconds. */
export function formatDuration(durationMs: number): string {
  const units = Object.entries(UNIT_MS).reverse()
  const [unit, size] = units.find(([, unitMs]) => durationMs > 0 && durationMs % unitMs === 0) ?? ['ms', 1]
  return `${durationMs / size}${unit}`
}
