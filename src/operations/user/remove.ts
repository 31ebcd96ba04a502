import { auditAs } from '../audit.ts'
import { databaseNow } from '../../db/clock.ts'
import { inTransaction } from '../../db/connection/connection.ts'
import { revokeKeys } from '../../db/key/keys.ts'
import { NO_TOTP, replaceRecoveryCodes, updateTotp } from '../../db/user/totp-rows.ts'
import { deleteSessionsOfUser } from '../../db/user/sessions.ts'
import { deleteMarks } from '../../db/notice/marks.ts'
import { deleteSavedFilters } from '../../db/user/saved-filters.ts'
import { endLinks, endLinksOfMaker } from '../../db/user/access-links.ts'
import { markUserLeft } from '../../db/user/users.ts'
import type { Actor } from '../../domain/actor.ts'
import { ApiError, notFound } from '../../domain/errors.ts'
import { isId } from '../../domain/ids.ts'
import type { Deps } from '../../deps/deps.ts'
import { requireRole } from './authority.ts'

/**
 * Ends a membership. In the same transaction the user's sessions end, and the links that they made and know, and every Personal
 * key of the user is revoked, also one in its grace period. It stays revoked if the user comes back. Shared keys go on. Nobody removes themselves, so a
 * company keeps an admin.
 *
 * @throws ApiError NOT_FOUND when the user is unknown or has left, INVALID_REQUEST for oneself, INSUFFICIENT_PERMISSIONS
 */
export async function removeUser(
  { db, doorbell }: Deps,
  companyId: string,
  actor: Actor,
  id: string,
): Promise<{ revokedKeys: number }> {
  if (actor.id === id) {
    throw new ApiError(
      'INVALID_REQUEST',
      'You cannot remove yourself: another admin has to. If you are the only one, invite one first.',
    )
  }
  const removed = await inTransaction(db, async (trx) => {
    const now = await databaseNow(trx)
    await requireRole(trx, companyId, actor, 'users.remove')
    if (!isId('user', id)) throw notFound('User')
    await updateTotp(trx, companyId, id, NO_TOTP)
    if (!(await markUserLeft(trx, companyId, id, now))) throw notFound('User')
    await deleteSessionsOfUser(trx, companyId, id)
    await deleteSavedFilters(trx, companyId, id)
    await deleteMarks(trx, companyId, id)
    await replaceRecoveryCodes(trx, id, [])
    const links = await endLinks(trx, companyId, { user_id: id }, 'revoked')
    const made = await endLinksOfMaker(trx, companyId, id)
    const personal = { user_id: id, type: 'Personal' as const }
    const revoked = await revokeKeys(trx, companyId, personal, { reason: 'user_left', now })
    const audit = auditAs({ companyId }, actor)
    await audit(trx, 'user.remove', id, now, {
      revoked_keys: revoked.length,
      ...(links + made > 0 && { revoked_links: links + made }),
    })
    for (const keyId of revoked) {
      const details = { reason: 'user_left', user_id: id }
      await audit(trx, 'key.revoke', keyId, now, details)
    }
    return { revokedKeys: revoked.length }
  })
  doorbell.ring()
  return removed
}
