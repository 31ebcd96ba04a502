import type { ChartProps } from './series.ts'

/** Height of the whole plot in pixels. It equals --chart-height in the theme. */
export const HEIGHT = 180
/** Room below the plot, for the times. */
export const FOOT = 20
/** Room above the plot, so that the label of the highest line is not cut. */
const HEAD = 14

/** Room at the left, for the values of the lines. */
export const SIDE = 56

/** The positions of columns in a plot of that width. */
export function sizeOf(width: number, columns: number) {
  const step = Math.max(1, width - SIDE) / Math.max(1, columns)
  return {
    width,
    step,
    left: (index: number) => SIDE + index * step,
    middle: (index: number) => SIDE + (index + 0.5) * step,
    columnAt: (x: number) => Math.min(columns - 1, Math.max(0, Math.floor((x - SIDE) / step))),
  }
}

/** A chart that is drawn: its data, its position, and what the reader points at. */
export type Drawn = ChartProps & {
  readonly size: ReturnType<typeof sizeOf>
  readonly active: number | undefined
  /** The column where a drag began. */
  readonly from: number | undefined
}

/** The y coordinate for a share of the plot's height: 0 is the bottom, 1 the top. */
export const yOf = (share: number): number => HEIGHT - FOOT - Math.min(1, share) * (HEIGHT - FOOT - HEAD)
