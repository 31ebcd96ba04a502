/** A family of records, with the scopes that its row offers. */
export type ScopeRow = { readonly family: string; readonly read?: string; readonly write?: string }

/** The families as rows, in the order of the list; the scopes for everything are apart from them. */
export function toRows(scopes: readonly string[]): readonly ScopeRow[] {
  const rows = new Map<string, ScopeRow>()
  for (const scope of scopes) {
    const [verb = '', family = ''] = scope.split(':')
    if (family === 'all') continue
    rows.set(family, {
      ...rows.get(family),
      family,
      ...(verb === 'read' ? { read: scope } : { write: scope }),
    })
  }
  return [...rows.values()]
}

/** The scopes for everything: `read:all`, `write:all`, `admin:all`. */
export const wideScopes = (scopes: readonly string[]): readonly string[] =>
  scopes.filter((scope) => scope.endsWith(':all'))

/** The chosen scope that includes this one already: its box is shown ticked and locked. */
export function includedBy(scope: string, chosen: readonly string[]): string | undefined {
  const [verb = ''] = scope.split(':')
  const wider = scope === 'admin:all' ? [] : ['admin:all', `${verb}:all`]
  return wider.find((each) => each !== scope && chosen.includes(each))
}

/** The choice without what another chosen scope includes. */
export const withoutIncluded = (chosen: readonly string[]): string[] =>
  chosen.filter((scope) => includedBy(scope, chosen) === undefined)
