import type { Role } from './session.ts'

export type User = {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly allowed_scopes: readonly string[]
  readonly totp_enabled: boolean
  /** Since when wrong codes have locked it; null: they have not. */
  readonly totp_locked_at: string | null
  readonly created_at: string
  readonly is_self: boolean
}

/** The second factor of somebody, in a word. */
export const secondFactorOf = ({ totp_enabled, totp_locked_at }: User): string =>
  totp_locked_at !== null ? 'locked' : totp_enabled ? 'on' : 'off'

export type ChangedUser = User & { readonly disabled_keys: number }

export type NewUser = {
  readonly email: string
  readonly name: string
  readonly password: string
  readonly role: Role
  readonly allowed_scopes: readonly string[]
}
