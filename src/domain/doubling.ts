/** The first pause and the longest one. The name of the constant ends with their unit. */
export type Doubling = { readonly first: number; readonly longest: number }

/**
 * The pause of a back-off: each one is twice as long as the one before, up to the longest.
 *
 * @param before how many pauses were made before this one
 * @returns in the unit of `first`
 */
export const doublingPause = ({ first, longest }: Doubling, before: number): number =>
  Math.min(first * 2 ** before, longest)
