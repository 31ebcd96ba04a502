import type { Scale } from './scale.ts'

/** One thing that is drawn: its name, its token of colour, and a value for each span of time; null where there is none. */
type ChartSeries = {
  readonly name: string
  readonly color: string
  readonly values: readonly (number | null)[]
  /** What a click on it shows, where that is not the whole bar: the filter of deliveries, and its words for the hint. */
  readonly opens?: { readonly status: string; readonly words: string }
}

export type ChartProps = {
  readonly title: string
  /** What the picture shows, for who cannot see it: a sentence with the sum. */
  readonly summary: string
  /** The beginnings of the spans, ISO 8601 in UTC. */
  readonly starts: readonly string[]
  readonly unit: 'hour' | 'day'
  readonly kind: 'bars' | 'lines'
  readonly series: readonly ChartSeries[]
  readonly scale: Scale
  /** How a value is written, in full and on the axis. */
  readonly format: (value: number) => string
  readonly axis?: (value: number) => string
  /** Follows a click on a span, or a drag over several. */
  readonly onOpen?: (window: ChartWindow) => void
}

/** What was chosen: times in ISO 8601, and the state if it was a part of a bar. */
export type ChartWindow = { readonly after: string; readonly before: string; readonly status: string }

const HOUR_MS = 3_600_000

/** The window of the spans from one to another, both included. */
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
