import type { Actor } from '../../domain/actor.ts'
import type { Tenant } from '../../domain/tenant.ts'

/** What is left of a quota: `remaining` of `limit` requests for another `resetS` seconds. */
export type Quota = { readonly limit: number; readonly remaining: number; readonly resetS: number }

/** The key, or the user of the console, that makes a request. */
export type Caller = {
  /** The id of the key, or of the user of the console. Quotas and Idempotency-Keys belong to it. */
  readonly id: string
  /** The scopes of the key. None for a user, whose role decides instead. */
  readonly scopes: readonly string[]
  readonly tenant: Tenant
  /** Canonical client address. */
  readonly address: string
  readonly actor: Actor
}

/** A request that counts as usage. `at`: when its key was read, by the database's clock. */
export type CountedUse = { readonly keyId: string; readonly address: string; readonly at: Date }

/** The values that our middleware keeps in `ctx.state`. */
export type State = {
  arrivedAt: Date
  requestId: string
  /** Identifies the request's span. Absent if this process sends no traces. */
  traceparent?: string
  /** The id of the span's trace, for the log. */
  traceId?: string | undefined
  caller?: Caller
  /** Set once the request counts as usage of its key. */
  use?: CountedUse
  /** Checks the key or the session again. Returns the caller as it is now. @throws the refusal */
  recheck?: () => Promise<Caller>
  route?: string
  /** Whether the request has passed the checks of address, route, method and scope. Then it counts in the rate limit. */
  isRated?: boolean
  /** What is left of the rate limit. Absent if there is no limit. */
  quota?: Quota
}
