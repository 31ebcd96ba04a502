import type { EventType } from '../common/api/wire.ts'

/** The catalog by family, in its order. Only types with the text in their name. */
export function byFamily(
  catalog: readonly EventType[],
  search: string,
): readonly (readonly [family: string, types: readonly EventType[]])[] {
  const text = search.trim().toLowerCase()
  const families = new Map<string, EventType[]>()
  for (const type of catalog) {
    if (!type.name.toLowerCase().includes(text)) continue
    families.set(type.family, [...(families.get(type.family) ?? []), type])
  }
  return [...families]
}
