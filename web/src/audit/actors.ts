/** One that the audit may name, and what it is chosen by: its name, with something more where others have the same. */
export type AuditActor = { readonly id: string; readonly label: string }

type Named = { readonly id: string; readonly name: string; readonly more: string }

/** @param named in the order in which they are offered; `more` tells those of one name apart */
export function actorsOf(named: readonly Named[]): readonly AuditActor[] {
  const counts = new Map<string, number>()
  for (const { name } of named) counts.set(folded(name), (counts.get(folded(name)) ?? 0) + 1)
  return named.map(({ id, name, more }) => ({
    id,
    label: counts.get(folded(name)) === 1 ? name : `${name} (${more})`,
  }))
}

/** Ids of who does something and of what it is done to, as the service makes and takes them. */
const IDS = {
  actor: /^(?:usr|key)_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  target: /^[a-z]+_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
}

/** The id of what a text names; empty for no text, undefined where it names nothing, or several. */
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
