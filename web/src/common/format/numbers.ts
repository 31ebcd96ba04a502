const WHOLE = new Intl.NumberFormat('en')

/** `12,345`. */
export const count = (value: number): string => WHOLE.format(value)

/** `1 delivery`, `2 deliveries`. */
export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`

/** `98.2 %`, or a dash where nothing happened. Never rounded up to 100 %. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return '–'
  return `${String(Math.floor((part / whole) * 1_000) / 10)} %`
}
