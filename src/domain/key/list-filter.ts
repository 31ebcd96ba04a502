import type { ApiKey, KeyState, KeyType } from './key.ts'
import type { Scope } from './scopes.ts'

/** Which keys a list shows. An absent field restricts nothing. */
export type KeyFilter = {
  readonly state?: KeyState | undefined
  readonly type?: KeyType | undefined
  /** A scope that the key holds itself; scopes that include it do not count. */
  readonly scope?: Scope | undefined
  /** Part of the name, or the start of the prefix; case does not matter. */
  readonly text?: string | undefined
}

/** Whether a list with the filter shows the key. */
export function matchesKeyFilter(
  key: Pick<ApiKey, 'name' | 'prefix' | 'scopes' | 'type'>,
  state: KeyState,
  filter: KeyFilter,
): boolean {
  const text = filter.text?.trim().toLowerCase() ?? ''
  return (
    (filter.state === undefined || filter.state === state) &&
    (filter.type === undefined || filter.type === key.type) &&
    (filter.scope === undefined || key.scopes.includes(filter.scope)) &&
    (key.name.toLowerCase().includes(text) || key.prefix.toLowerCase().startsWith(text))
  )
}
