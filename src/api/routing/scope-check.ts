import type { Context } from 'koa'
import { ApiError } from '../../domain/errors.ts'
import { RESOURCE_FAMILIES } from '../../domain/event/resources.ts'
import { grants, holdsAnyWrite, type Scope } from '../../domain/key/scopes.ts'
import type { Caller } from '../auth/caller.ts'
import { readBody } from '../middleware/read-body.ts'
import type { AnyRoute } from './route.ts'

/** Checks whether the caller may call the route, as far as the path decides it. @throws ApiError INSUFFICIENT_PERMISSIONS */
export async function checkScope(route: AnyRoute, caller: Caller, ctx: Context): Promise<void> {
  if (route.scope === 'any') return
  if (route.scope !== 'any-write') requireScope(route.scope, caller)
  else if (!holdsAnyWrite(caller.scopes)) throw lacks(await scopesAskedFor(route, ctx))
}

/** Checks whether the caller may send this body. @throws ApiError INSUFFICIENT_PERMISSIONS */
export function checkScopesOfBody(route: AnyRoute, caller: Caller, rawBody: unknown): void {
  for (const scope of route.scopesOf?.(rawBody) ?? []) requireScope(scope, caller)
}

/**
 * The scopes that the error message names, because the specification wants them there: those of the event types in the body. If
 * the body names no known type, or cannot be read, they are the write scopes of all families of records.
 */
async function scopesAskedFor(route: AnyRoute, ctx: Context): Promise<string> {
  const body = await readBody(ctx).catch(() => ({}))
  const scopes = route.scopesOf?.(body) ?? []
  return scopes.length > 0 ? scopes.join(', ') : `one of ${WRITE_SCOPES.join(', ')}`
}

const WRITE_SCOPES = Object.keys(RESOURCE_FAMILIES).map((family) => `write:${family}`)

function requireScope(scope: Scope, { scopes }: Caller): void {
  if (!grants(scopes, scope)) throw lacks(scope)
}

const lacks = (needed: string) =>
  new ApiError('INSUFFICIENT_PERMISSIONS', `This key lacks the required scope: ${needed}.`)
