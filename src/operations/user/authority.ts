import type { Db } from '../../db/connection/connection.ts'
import { lockUserForShare } from '../../db/user/users.ts'
import type { Actor } from '../../domain/actor.ts'
import { ApiError } from '../../domain/errors.ts'
import { isId } from '../../domain/ids.ts'
import type { ApiKey } from '../../domain/key/key.ts'
import { keyRight, type KeyHolder, permits, type Action } from '../../domain/user/roles.ts'

/**
 * Reads and locks the user who makes a change, in the transaction of the change. So if the user's role was just
 * lowered, the lower role decides. Undefined for every other actor: the api checks the scopes of an API key, and the
 * operator and the service itself may do everything.
 *
 * @throws ApiError UNAUTHORIZED when the user is no member any more
 */
async function lockActingUser(trx: Db, companyId: string, actor: Actor): Promise<KeyHolder | undefined> {
  if (!isId('user', actor.id)) return undefined
  const user = await lockUserForShare(trx, companyId, actor.id)
  if (user) return user
  throw noMember()
}

/** The refusal of a user who has left. */
export const noMember = (): ApiError =>
  new ApiError('UNAUTHORIZED', 'You are not a member of the company any more.')

/** @throws ApiError INSUFFICIENT_PERMISSIONS when the actor is a user whose role does not permit the action */
export async function requireRole(trx: Db, companyId: string, actor: Actor, action: Action): Promise<void> {
  const user = await lockActingUser(trx, companyId, actor)
  if (user && !permits(user.role, action)) throw roleForbids(action)
}

/** The refusal of an action that the user's role does not permit. */
export const roleForbids = (action: Action): ApiError =>
  new ApiError('INSUFFICIENT_PERMISSIONS', `Your role does not permit this (${action}): ask an admin.`)

/**
 * Prepares the check whether the actor may create or change a key. It locks the user, so call it before the key is
 * locked: all changes lock in this order, so that they cannot deadlock.
 *
 * @returns the check, to be called once the key is locked. It throws ApiError INSUFFICIENT_PERMISSIONS
 */
export async function keyRightsOf(
  trx: Db,
  companyId: string,
  actor: Actor,
): Promise<(key: Pick<ApiKey, 'type' | 'userId'>, scopes: readonly string[]) => void> {
  const user = await lockActingUser(trx, companyId, actor)
  return (key, scopes) => {
    const right = user ? keyRight(user, key, scopes) : { kind: 'allowed' as const }
    if (right.kind === 'refused') throw new ApiError('INSUFFICIENT_PERMISSIONS', right.message)
  }
}
