export type Environment = 'live' | 'test'

export type Role = 'admin' | 'member'

/** Actions that the role of the signed-in user may allow. */
export type Permission =
  | 'keys.read'
  | 'keys.create'
  | 'keys.update'
  | 'keys.rotate'
  | 'keys.revoke'
  | 'keys.any'
  | 'webhooks.read'
  | 'webhooks.write'
  | 'webhooks.test'
  | 'webhooks.regenerate_secret'
  | 'webhooks.reveal_headers'
  | 'deliveries.read'
  | 'deliveries.retry'
  | 'deliveries.resend'
  | 'deliveries.recover'
  | 'users.read'
  | 'users.create'
  | 'users.update'
  | 'users.remove'
  | 'audit.read'

/** The rules and addresses of this installation; the console has no copy of them. */
type Settings = {
  readonly scopes: readonly { readonly name: string; readonly description: string }[]
  readonly rotation_graces: readonly { readonly name: string; readonly seconds: number }[]
  readonly retry_schedule: readonly number[]
  readonly key_prefix: string
  readonly public_url: string
  readonly temporal_ui_url: string | null
  readonly temporal_namespace: string
}

type SignedOut = {
  readonly state: 'signed_out'
  readonly csrf_token: string
  readonly address: string
}

export type SignedIn = {
  readonly state: 'signed_in'
  readonly csrf_token: string
  readonly address: string
  readonly user: {
    readonly id: string
    readonly email: string
    readonly name: string
    readonly role: Role
    readonly allowed_scopes: readonly string[]
    readonly totp_enabled: boolean
    /** Since when wrong codes have locked it; null: they have not. */
    readonly totp_locked_at: string | null
    readonly recovery_codes_left: number
  }
  readonly company: {
    readonly id: string
    readonly name: string
    /** Since when the operator has suspended the company. */
    readonly suspended_at: string | null
  }
  readonly environments: readonly Environment[]
  readonly permissions: readonly Permission[]
  readonly grantable_scopes: readonly string[]
  readonly reauthenticated_until: string
  readonly expires_at: string
  readonly idle_expires_at: string
  readonly settings: Settings
}

export type Session = SignedOut | SignedIn

export type ChooseCompany = {
  readonly state: 'choose_company'
  readonly companies: readonly { readonly id: string; readonly name: string }[]
}

export type SignInBody = {
  readonly email: string
  readonly password: string
  readonly code?: string
  readonly company_id?: string
}
