import type { Key, KeyChange } from '../common/api/wire.ts'
import { toLocalInput } from '../common/format/local-times.ts'
import { expiryOf } from './expiry.ts'
import { withoutIncluded } from './scope-grid.ts'

export type KeyForm = {
  readonly name: string
  readonly description: string
  readonly scopes: string[]
  readonly expiry: string
  readonly customExpiry: string
}

/** The form's values for a key. */
export const formOf = ({ name, description, scopes, expires_at }: Key): KeyForm => ({
  name,
  description: description ?? '',
  scopes: [...scopes],
  expiry: expires_at === null ? 'none' : 'custom',
  customExpiry: expires_at === null ? '' : toLocalInput(new Date(expires_at)),
})

/** The values that differ from the key, so that the change does not undo one that somebody else made. */
export function changedFields(key: Key, form: KeyForm, now = new Date()): KeyChange {
  const before = formOf(key)
  const scopes = withoutIncluded(form.scopes)
  const expiresAt = expiryOf(form.expiry, form.customExpiry, now)
  const hasOtherExpiry = form.expiry !== before.expiry || form.customExpiry !== before.customExpiry
  return {
    ...(form.name !== before.name && { name: form.name }),
    ...(form.description !== before.description && { description: form.description }),
    ...(scopes.toSorted().join() !== before.scopes.toSorted().join() && { scopes }),
    ...(hasOtherExpiry && expiresAt !== undefined && { expires_at: expiresAt }),
  }
}
