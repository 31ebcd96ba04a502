/**
 * The first and the longest pause. A constant with these pauses has their unit at the end of its name, such as `_MS`.
 */
export type Doubling = { readonly first: number; readonly longest: number }

/**
 * The pause of a back-off. Each pause is twice as long as the one before, up to the longest.
 *
 * @param before how many pauses there were before this one
 * @returns in the unit of `first`
 */
export const doublingPause = ({ first, longest }: Doubling, before: number): number =>
  Math.min(first * 2 ** before, longest)
