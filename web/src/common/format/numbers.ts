const WHOLE = new Intl.NumberFormat('en')

/** `12,345`. */
export const count = (value: number): string => WHOLE.format(value)

/** `1 delivery`, `2 deliveries`. */
export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`

/**
 * `98.2 %`, or a dash if `whole` is 0. Two parts of a whole add up to 100: a share half-way between two tenths is rounded
 * to the even tenth. It says 100 % only for the whole, and 0 % only for nothing.
 *
 * @param part a whole number, from 0 to `whole`
 */
export function percent(part: number, whole: number): string {
  if (whole === 0) return '–'
  const lower = Math.floor((part * 1_000) / whole)
  const twiceOver = 2 * ((part * 1_000) % whole)
  const goesUp = twiceOver > whole || (twiceOver === whole && lower % 2 === 1)
  const nearest = lower + (goesUp ? 1 : 0)
  const tenths = part === 0 || part === whole ? nearest : Math.min(999, Math.max(1, nearest))
  return `${String(tenths / 10)} %`
}
