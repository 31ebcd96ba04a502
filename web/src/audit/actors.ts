/** Somebody or something that the audit may name, with the text by which it is chosen: its name, and more where names repeat. */
export type AuditActor = { readonly id: string; readonly label: string }

type Named = { readonly id: string; readonly name: string; readonly more: string }

/** @param named in the order in which they are offered. `more` is added where two have the same name */
export function actorsOf(named: readonly Named[]): readonly AuditActor[] {
  const counts = new Map<string, number>()
  for (const { name } of named) counts.set(folded(name), (counts.get(folded(name)) ?? 0) + 1)
  return named.map(({ id, name, more }) => ({
    id,
    label: counts.get(folded(name)) === 1 ? name : `${name} (${more})`,
  }))
}

/** The ids of actors and of objects, in the form that the service uses. */
const IDS = {
  actor: /^(?:usr|key)_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  target: /^[a-z]+_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
}

/** The id of what a text names. Empty for an empty text; undefined if the text names nothing, or more than one thing. */
export function partyIn(
  parties: readonly AuditActor[],
  text: string,
  is: keyof typeof IDS,
): string | undefined {
  const wanted = text.trim()
  if (wanted === '' || IDS[is].test(wanted)) return wanted
  return parties.find(({ id, label }) => id === wanted || folded(label) === folded(wanted))?.id
}

const folded = (name: string): string => name.trim().toLowerCase()
