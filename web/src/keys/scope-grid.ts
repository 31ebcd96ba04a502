/** A family of records, and the scopes in its row. */
export type ScopeRow = { readonly family: string; readonly read?: string; readonly write?: string }

/** The families as rows, in the order of the list. Scopes for all families are left out. */
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

/** The scopes for all families: `read:all`, `write:all`, `admin:all`. */
export const wideScopes = (scopes: readonly string[]): readonly string[] =>
  scopes.filter((scope) => scope.endsWith(':all'))

/** The chosen scope that includes this one. Then the box of this one is ticked and locked. */
export function includedBy(scope: string, chosen: readonly string[]): string | undefined {
  const [verb = ''] = scope.split(':')
  const wider = scope === 'admin:all' ? [] : ['admin:all', `${verb}:all`]
  return wider.find((each) => each !== scope && chosen.includes(each))
}

/** The chosen scopes without those that another chosen scope includes. */
export const withoutIncluded = (chosen: readonly string[]): string[] =>
  chosen.filter((scope) => includedBy(scope, chosen) === undefined)
