/** The scopes that an admin may give a member: the write scopes of single families. */
export const allowableScopes = (scopes: readonly string[]): readonly string[] =>
  scopes.filter((scope) => scope.startsWith('write:') && scope !== 'write:all')
