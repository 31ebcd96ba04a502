/** The scopes that an admin may allow a member: write scopes of one family. */
export const allowableScopes = (scopes: readonly string[]): readonly string[] =>
  scopes.filter((scope) => scope.startsWith('write:') && scope !== 'write:all')
