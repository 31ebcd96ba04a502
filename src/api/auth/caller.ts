import type { Actor } from '../../domain/actor.js'
import type { ApiKey } from '../../domain/key/key.js'
import type { Tenant } from '../../domain/tenant.js'

/** Who makes a request: the key, whose rows it sees, from where, and how the audit names it. */
export type Caller = {
  readonly key: ApiKey
  readonly tenant: Tenant
  /** Canonical client address. */
  readonly address: string
  readonly actor: Actor
}

/** What our middleware keeps in `ctx.state`. */
export type State = {
  arrivedAt: Date
  requestId: string
  caller?: Caller
  route?: string
  /** Whether the request has passed address, route, method and scope, and so counts in the rate limit. */
  isRated?: boolean
}
