import type { ChartProps } from './series.ts'

/** Of the whole plot, as --chart-height in the theme. */
export const HEIGHT = 180
/** Below the plot, for the times. */
export const FOOT = 20
/** Above it, so that the label of the highest line is whole. */
const HEAD = 14

/** At the left, for the values of the lines. */
export const SIDE = 56

/** Where columns lie in a plot of that width. */
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

/** A chart as it is drawn: with its place, and what the reader points at. */
export type Drawn = ChartProps & {
  readonly size: ReturnType<typeof sizeOf>
  readonly active: number | undefined
  /** Where a drag began. */
  readonly from: number | undefined
}

/** Where a share of the plot's height lies, from 0 at the bottom to 1. */
export const yOf = (share: number): number => HEIGHT - FOOT - Math.min(1, share) * (HEIGHT - FOOT - HEAD)
