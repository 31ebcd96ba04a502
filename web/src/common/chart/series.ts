import type { Scale } from './scale.ts'

/** One series: its name, its colour token, and a value for each span of time. null: the span has no value. */
type ChartSeries = {
  readonly name: string
  readonly color: string
  readonly values: readonly (number | null)[]
  /**
   * What a click on this part of a bar opens, if that differs from the whole bar: a filter of deliveries, and words for the
   * hint.
   */
  readonly opens?: { readonly status: string; readonly words: string }
}

export type ChartProps = {
  readonly title: string
  /** A sentence with the sum, for people who cannot see the picture. */
  readonly summary: string
  /** The start of each span, as ISO 8601 in UTC. */
  readonly starts: readonly string[]
  readonly unit: 'hour' | 'day'
  readonly kind: 'bars' | 'lines'
  readonly series: readonly ChartSeries[]
  readonly scale: Scale
  /** How to write a value in full and on the axis. */
  readonly format: (value: number) => string
  readonly axis?: (value: number) => string
  /** Called after a click on a span, or a drag over several spans. */
  readonly onOpen?: (window: ChartWindow) => void
}

/** The chosen times as ISO 8601. If the reader chose a part of a bar, also the filter of that part. */
export type ChartWindow = { readonly after: string; readonly before: string; readonly status: string }

const HOUR_MS = 3_600_000

/** The window from the first to the last of two spans, both included. */
export function windowOf(
  { starts, unit }: Pick<ChartProps, 'starts' | 'unit'>,
  from: number,
  to: number,
  status = '',
): ChartWindow {
  const [first, last] = [Math.min(from, to), Math.max(from, to)]
  const end = Date.parse(starts[last] ?? '') + (unit === 'hour' ? HOUR_MS : 24 * HOUR_MS)
  return { after: starts[first] ?? '', before: new Date(end).toISOString(), status }
}
