import { createKeyLookups, type KeyLookups } from '../../db/key/rows.ts'
import type { SystemDeps } from '../../deps/deps.ts'
import { createFailureThrottle, type FailureThrottle } from './failure-throttle.ts'
import { UsageRecorder } from './usage-recorder.ts'

/** What authentication does before it knows a tenant. Nothing else of the api may span tenants. */
export type AuthParts = {
  readonly keys: Pick<KeyLookups, 'find'>
  readonly usage: Pick<UsageRecorder, 'record' | 'recordResponse'>
  readonly countFailure: FailureThrottle
}

/** Stop `usage` when no more requests come. */
export const createAuthParts = (deps: SystemDeps): AuthParts & { readonly usage: UsageRecorder } => ({
  keys: createKeyLookups(deps.db),
  usage: new UsageRecorder(deps),
  countFailure: createFailureThrottle(deps),
})
