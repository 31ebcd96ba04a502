import type { Context, Middleware } from 'koa'
import { createKeyLookups, type KeyLookups, type RequestKey } from '../../db/key/rows.ts'
import type { Deps, SystemDeps } from '../../deps/deps.ts'
import {
  hashApiKey,
  keyState,
  parseAuthorization,
  type Authorization,
  type KeyState,
} from '../../domain/key/key.ts'
import { CHECKS, type Check, type CheckName } from '../../domain/key/check-order.ts'
import { ApiError, ERROR_STATUS } from '../../domain/errors.ts'
import { createAllowlistMatchers } from '../../domain/key/allowlist.ts'
import type { Caller, State } from './caller.ts'
import type { DenialLimit } from '../middleware/rate-limit.ts'
import { createFailureThrottle, type FailureThrottle } from './failure-throttle.ts'
import { createRequestOrigin, headerValues } from '../edge/request.ts'
import { UsageRecorder } from './usage-recorder.ts'

/** What authentication needs before it knows a tenant. No other part of the api may work across tenants. */
export type AuthParts = {
  readonly keys: Pick<KeyLookups, 'find'>
  readonly usage: Pick<UsageRecorder, 'record' | 'recordResponse'>
  readonly countFailure: FailureThrottle
}

/** Call `stop` of `usage` when no more requests come. */
export const createAuthParts = (deps: SystemDeps): AuthParts & { readonly usage: UsageRecorder } => ({
  keys: createKeyLookups(deps.db),
  usage: new UsageRecorder(deps),
  countFailure: createFailureThrottle(deps),
})

/** What the checks use. The database is asked for a key only if the key is well-formed. */
type Candidate = {
  readonly authorization: Authorization
  readonly found: RequestKey | undefined
  readonly state: KeyState | undefined
  readonly address: string
  /** Whether the key's allowlist permits the address; computed only when that check is reached. */
  readonly isPermitted: () => boolean
}

/** Whether a candidate passes each check before the route. CHECKS decides the order of the checks, not this table. */
const PASSES: Partial<Record<CheckName, (candidate: Candidate) => boolean>> = {
  authorization: ({ authorization }) => authorization.kind !== 'none',
  'key-well-formed': ({ authorization }) => authorization.kind === 'key',
  'key-known': ({ found }) => found !== undefined,
  'key-not-revoked': ({ state }) => state !== 'revoked',
  'key-not-expired': ({ state }) => state !== 'expired',
  'key-enabled': ({ state }) => state !== 'disabled',
  'company-not-suspended': ({ found }) => found?.isSuspended !== true,
  'ip-allowed': ({ isPermitted }) => isPermitted(),
}

/** No message contains the key or a part of it. A malformed key and an unknown key get the same message. */
const MESSAGES: Partial<Record<CheckName, (address: string) => string>> = {
  authorization: () => 'An API key is required: Authorization: Bearer <API_KEY>.',
  'key-well-formed': () => 'The API key is not valid.',
  'key-known': () => 'The API key is not valid.',
  'key-not-revoked': () => 'The API key has been revoked.',
  'key-not-expired': () => 'The API key has expired.',
  'key-enabled': () => 'The API key is disabled.',
  'company-not-suspended': () => 'The API key is disabled: its company is suspended.',
  'ip-allowed': (address) => `Requests from ${address} are not allowed for this API key.`,
}

/**
 * Finds out who calls: the first checks of domain/key/check-order. For every request the key is read from the database,
 * without a cache. So a revocation or a suspension takes effect with the next request, in every process. Requests that
 * arrive together share a query. Sets `ctx.state.caller`.
 *
 * @throws ApiError with the code of the first check that fails. RATE_LIMITED instead of a 401 if the address had too
 *   many 401s, and instead of a 403 if the key had too many denied calls
 */
export function createAuthenticate(
  { config, metrics }: Pick<Deps, 'config' | 'metrics'>,
  { keys, usage, limitDenial, countFailure }: AuthParts & { readonly limitDenial: DenialLimit },
): Middleware<State> {
  const matcherOf = createAllowlistMatchers()
  const { addressOf } = createRequestOrigin(config)

  return async (ctx, next) => {
    const candidate = await readCandidate(ctx)
    const { found, address } = candidate
    const failed = firstFailed(candidate)
    metrics.authentications.inc({ result: failed?.name ?? 'accepted' })
    // Every request that passes the checks of the key's state counts as usage, whatever its answer will be.
    if (found && (!failed || failed.name === 'ip-allowed')) {
      ctx.state.use = { keyId: found.key.id, address, at: found.now }
      usage.record(ctx.state.use)
    }
    if (failed) {
      const refused = await refusal(failed, address)
      throw found && 'isDenial' in failed ? await limitDenial(found.key.id, refused) : refused
    }
    ctx.state.caller = callerOf(candidate, ctx.state.requestId)
    ctx.state.recheck = async () => {
      const latest = await readCandidate(ctx)
      const failedNow = firstFailed(latest)
      if (failedNow) throw await refusal(failedNow, address)
      return callerOf(latest, ctx.state.requestId)
    }
    await next()
  }

  async function readCandidate(ctx: Context): Promise<Candidate> {
    const authorization = parseAuthorization(headerValues(ctx.req, 'authorization'))
    const found = authorization.kind === 'key' ? await keys.find(hashApiKey(authorization.key)) : undefined
    const state = found && keyState({ ...found.key, hasOwnerLeft: found.hasOwnerLeft }, found.now)
    const address = addressOf(ctx.req)
    const isPermitted = () => found !== undefined && matcherOf(found.key.ipAllowlist)(address)
    return { authorization, found, state, address, isPermitted }
  }

  async function refusal({ name, code }: Check, address: string): Promise<ApiError> {
    if (ERROR_STATUS[code] !== 401) return new ApiError(code, messageOf(name, address))
    return (
      (await countFailure(address)) ??
      new ApiError(code, messageOf(name, address), { headers: { 'WWW-Authenticate': 'Bearer' } })
    )
  }
}

/** The caller whose key has passed every check. */
function callerOf({ found, address }: Candidate, requestId: string): Caller {
  if (!found) throw new Error('every check passed without a key')
  const { id, scopes, companyId, environment } = found.key
  return { id, scopes, tenant: { companyId, environment }, address, actor: { id, ip: address, requestId } }
}

const firstFailed = (candidate: Candidate): Check | undefined =>
  CHECKS.find(({ name }) => PASSES[name]?.(candidate) === false)

const messageOf = (name: CheckName, address: string): string => MESSAGES[name]?.(address) ?? ''
