export type KeyState = 'active' | 'disabled' | 'in_rotation' | 'expired' | 'revoked'

export type KeyType = 'Personal' | 'Shared'

type KeyUsage = {
  readonly day: number
  readonly week: number
  readonly month: number
  /** 30 days, oldest first. */
  readonly daily: readonly { readonly date: string; readonly requests: number }[]
}

export type Key = {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly prefix: string
  readonly scopes: readonly string[]
  readonly type: KeyType
  readonly user_id: string | null
  readonly user_name: string | null
  /** The old key of a rotation, as long as it works too. */
  readonly replaces: { readonly id: string; readonly expires_at: string } | null
  readonly environment: string
  readonly state: KeyState
  readonly is_active: boolean
  readonly ip_allowlist: readonly string[]
  readonly expires_at: string | null
  readonly revoked_at: string | null
  readonly rotated_to: string | null
  readonly created_at: string
  readonly last_used_at: string | null
  readonly last_used_ip: string | null
  readonly request_count: number
  readonly usage: KeyUsage
}

/** `key` is the whole key; no other answer has it. */
export type CreatedKey = Key & { readonly key: string }

export type RotatedKey = CreatedKey & { readonly old_key_id: string; readonly old_expires_at: string }

export type NewKey = {
  readonly name: string
  readonly description?: string
  readonly scopes: readonly string[]
  readonly type: KeyType
  readonly user_id?: string
  readonly expires_at: string | null
  readonly ip_allowlist: string
}

export type KeyChange = {
  readonly name?: string
  readonly description?: string
  readonly scopes?: readonly string[]
  readonly ip_allowlist?: string
  readonly expires_at?: string | null
  readonly is_active?: boolean
}

export type AllowlistFault = { readonly line: number; readonly text: string; readonly message: string }

export type AllowlistVerdict = {
  readonly allowed: boolean | null
  readonly entries: readonly string[]
  readonly faults: readonly AllowlistFault[]
}
