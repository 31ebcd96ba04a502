import type { Role } from './session.ts'

export type User = {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly allowed_scopes: readonly string[]
  readonly totp_enabled: boolean
  readonly created_at: string
  readonly is_self: boolean
}

export type ChangedUser = User & { readonly disabled_keys: number }

export type NewUser = {
  readonly email: string
  readonly name: string
  readonly password: string
  readonly role: Role
  readonly allowed_scopes: readonly string[]
}
