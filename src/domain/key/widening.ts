import { grants, isScope } from './scopes.ts'
import type { ApiKey } from './key.ts'

type Changed = Partial<Pick<ApiKey, 'scopes' | 'ipAllowlist' | 'isActive' | 'expiresAt'>>

/**
 * Whether a change lets a key do more: it adds a scope or an address, makes the key expire later or never, or lets it
 * work again. The user who asks for such a change must have given the password lately.
 */
export const widens = (
  key: ApiKey,
  {
    scopes = key.scopes,
    ipAllowlist = key.ipAllowlist,
    isActive = key.isActive,
    expiresAt = key.expiresAt,
  }: Changed,
): boolean =>
  scopes.some((scope) => isScope(scope) && !grants(key.scopes, scope)) ||
  permitsMore(key.ipAllowlist, ipAllowlist) ||
  (isActive && !key.isActive) ||
  endsLater(key.expiresAt, expiresAt)

/** An empty list permits every address. A new entry counts as more even if it lies within an old one. */
const permitsMore = (before: readonly string[], after: readonly string[]): boolean =>
  before.length > 0 && (after.length === 0 || after.some((entry) => !before.includes(entry)))

const endsLater = (before: Date | null, after: Date | null): boolean =>
  before !== null && (after === null || after > before)
