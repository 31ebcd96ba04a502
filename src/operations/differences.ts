import { isDeepStrictEqual } from 'node:util'

/** The given fields whose values differ from the present ones. */
export function differencesOf<Fields extends object>(
  present: Fields,
  given: Partial<Fields>,
): Partial<Fields> {
  const entries = Object.entries(given) as [keyof Fields, unknown][]
  return Object.fromEntries(
    entries.filter(([name, value]) => !isDeepStrictEqual(value, present[name])),
  ) as Partial<Fields>
}
