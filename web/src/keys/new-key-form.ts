import type { KeyType, NewKey } from '../common/api/wire.ts'
import { withoutIncluded } from './scope-grid.ts'

/** The values of the form for a new key. */
export type NewKeyForm = {
  readonly name: string
  readonly description: string
  readonly type: KeyType
  readonly user_id: string
  readonly scopes: string[]
  readonly expiry: string
  readonly customExpiry: string
  readonly ip_allowlist: string
}

export const emptyKeyForm = (type: KeyType): NewKeyForm => ({
  name: '',
  description: '',
  type,
  user_id: '',
  scopes: [],
  expiry: 'none',
  customExpiry: '',
  ip_allowlist: '',
})

/** The request body of the new key. */
export const newKeyOf = (form: NewKeyForm, expires_at: string | null): NewKey => ({
  name: form.name,
  ...(form.description !== '' && { description: form.description }),
  scopes: withoutIncluded(form.scopes),
  type: form.type,
  ...(form.type === 'Personal' && form.user_id !== '' && { user_id: form.user_id }),
  expires_at,
  ip_allowlist: form.ip_allowlist,
})
