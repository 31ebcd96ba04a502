import { texts } from './texts.ts'

/** Maps values to a plot. `at` returns a share of its height, from 0 at the bottom to 1. */
export type Scale = { readonly ticks: readonly number[]; readonly at: (value: number) => number }

/** The steps between two powers of ten. They are familiar numbers, and close enough to leave little of a plot empty. */
const STEPS = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]

/** A scale from 0 to a round number, with four lines. @param whole use whole steps, for counts */
export function linearScale(highest: number, whole = true): Scale {
  const wanted = Math.max(highest, whole ? 4 : Number.MIN_VALUE) / 4
  const power = 10 ** Math.floor(Math.log10(wanted))
  const step = power * (STEPS.find((each) => each * power >= wanted && !(whole && (each * power) % 1)) ?? 10)
  return { ticks: [1, 2, 3, 4].map((each) => each * step), at: (value) => value / (4 * step) }
}

/** A scale from one power of ten to another, with a line at each power. Values below the first one lie at the bottom. */
function logScale(lowest: number, highest: number): Scale {
  const from = Math.floor(Math.log10(Math.max(1, lowest)))
  const to = Math.max(from + 1, Math.ceil(Math.log10(Math.max(1, highest))))
  return {
    ticks: Array.from({ length: to - from }, (_, index) => 10 ** (from + index + 1)),
    at: (value) => Math.max(0, (Math.log10(Math.max(1, value)) - from) / (to - from)),
  }
}

/** If the ratio of the longest to the shortest duration is larger, the scale is logarithmic. */
const LOG_FROM = 20

/** The scale of durations: logarithmic if they differ much. @param values in milliseconds; those above 0 count */
export function durationScale(values: readonly number[]): Scale {
  const [lowest, highest] = [Math.min(...values), Math.max(0, ...values)]
  return values.length > 0 && highest > LOG_FROM * lowest ? logScale(lowest, highest) : linearScale(highest)
}

/** `1.2 k`: a number that is short enough for an axis. */
export const shortCount = (value: number): string =>
  value < 1_000
    ? String(value)
    : value < 1_000_000
      ? texts.thousands({ number: Number((value / 1_000).toPrecision(2)) })
      : texts.millions({ number: Number((value / 1_000_000).toPrecision(2)) })
