import { isDeepStrictEqual } from 'node:util'

/** The given fields that differ from those that are there. */
export function differencesOf<Fields extends object>(
  present: Fields,
  given: Partial<Fields>,
): Partial<Fields> {
  const entries = Object.entries(given) as [keyof Fields, unknown][]
  return Object.fromEntries(
    entries.filter(([name, value]) => !isDeepStrictEqual(value, present[name])),
  ) as Partial<Fields>
}
