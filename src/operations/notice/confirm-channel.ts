import { databaseNow } from '../../db/clock.ts'
import { inTransaction } from '../../db/connection/connection.ts'
import { changeChannel, toChannel } from '../../db/notice/channels.ts'
import type { Deps } from '../../deps/deps.ts'
import type { Actor } from '../../domain/actor.ts'
import { ApiError } from '../../domain/errors.ts'
import { CODE_TRIES, type Channel } from '../../domain/notice/channel.ts'
import { channelContext, unseal } from '../../domain/sealing/sealing.ts'
import { isSameSecret } from '../../domain/webhook/signing.ts'
import { auditAs } from '../audit.ts'
import { requireRole } from '../user/authority.ts'
import { lockOrRefuse } from './channels.ts'

/**
 * Confirms a mail address by the code that was mailed to it. After CODE_TRIES wrong codes none is taken.
 *
 * @throws ApiError NOT_FOUND, INVALID_REQUEST, INSUFFICIENT_PERMISSIONS
 */
export async function confirmChannel(
  { db, config }: Deps,
  companyId: string,
  actor: Actor,
  id: string,
  code: string,
): Promise<Channel> {
  const isRight = await inTransaction(db, async (trx) => {
    await requireRole(trx, companyId, actor, 'channels.write')
    const row = await lockOrRefuse(trx, companyId, id)
    if (row.confirmed_at !== null) return true
    if (row.wrong_codes >= CODE_TRIES || row.secret_sealed === null) {
      throw new ApiError('INVALID_REQUEST', 'Too many wrong codes: remove the channel and add it again.')
    }
    const wanted = unseal(config.secretsKeys, row.secret_sealed, channelContext(companyId, id, 'secret'))
    if (!isSameSecret(code.trim(), wanted)) {
      await changeChannel(trx, companyId, id, { wrong_codes: row.wrong_codes + 1 })
      return false
    }
    const now = await databaseNow(trx)
    await changeChannel(trx, companyId, id, { confirmed_at: now, secret_sealed: null })
    await auditAs({ companyId }, actor)(trx, 'channel.confirm', id, now)
    return true
  })
  if (!isRight) throw new ApiError('INVALID_REQUEST', 'This is not the code that was mailed to the address.')
  return toChannel(await inTransaction(db, (trx) => lockOrRefuse(trx, companyId, id)))
}
