import { enqueueCommands } from '../../db/outbox/outbox.ts'
import { COMMAND_QUEUE } from '../../db/outbox/queues.ts'
import type { Db } from '../../db/connection/connection.ts'
import { insertKey, markRotated } from '../../db/key/keys.ts'
import type { Actor } from '../../domain/actor.ts'
import { hashApiKey, newApiKey, type ApiKey, type FoundKey } from '../../domain/key/key.ts'
import { replacementExpiry, rotatedExpiry, type RotationGrace } from '../../domain/key/rotation.ts'
import type { Deps } from '../../deps/deps.ts'
import { keepAnswer, type AnswerToKeep } from '../idempotency.ts'
import { inRingingTransaction } from '../ringing-transaction.ts'
import { keyRightsOf } from '../user/authority.ts'
import { auditKey, lockOrRefuse, refuseIllegal } from './change.ts'
import { checkExpiry, freshKey, type IssuedKey } from './create.ts'

/** A rotation: the replacement key in clear, and when the old key ends. */
export type Rotation = IssuedKey & { readonly oldKeyId: string; readonly oldExpiresAt: Date }

/**
 * How long the old key still works, and when the replacement key expires. By default it gets the lifetime of the old
 * key.
 */
type RotationInput = { readonly grace: RotationGrace; readonly expiresAt?: Date | null | undefined }

/**
 * Issues a replacement key with the old key's environment, user, scopes, allowlist, type, name and description. The old
 * key expires after the grace period, or at its own expiration date if that is earlier. Of several parallel rotations,
 * the lock lets only one win. The old key ends in time even while no worker runs its timer, because authentication
 * compares the expiry with the database's clock.
 *
 * @throws ApiError NOT_FOUND; VALIDATION_ERROR for an expiry that has passed; INVALID_REQUEST for a key that is in
 *   rotation already or not active; INSUFFICIENT_PERMISSIONS when the actor is a user who may not have such a key
 */
export async function rotateApiKey(
  deps: Deps,
  companyId: string,
  actor: Actor,
  id: string,
  { grace, expiresAt: wantedExpiry }: RotationInput,
  kept?: AnswerToKeep<Rotation>,
): Promise<Rotation> {
  return inRingingTransaction(deps, async (trx) => {
    const requireRights = await keyRightsOf(trx, companyId, actor)
    const found = await lockOrRefuse(trx, companyId, id)
    requireRights(found.key, found.key.scopes)
    refuseIllegal(found, 'rotate')
    const { key: old, now } = found
    if (wantedExpiry) checkExpiry(wantedExpiry, now)
    const expiresAt = rotatedExpiry(old.expiresAt, now, deps.config.rotationGracesMs[grace])
    const newExpiry = wantedExpiry === undefined ? replacementExpiry(old, now) : wantedExpiry
    const replacement = await insertReplacement(trx, deps, found, newExpiry)
    const { id: rotatedTo, prefix } = replacement.key
    await markRotated(trx, companyId, id, { rotatedTo, expiresAt, now })
    await enqueueCommands(trx, { companyId }, [{ kind: 'expire-key', targetId: id, queue: COMMAND_QUEUE }])
    const details = { grace, rotated_to: rotatedTo, heir_prefix: prefix, expires_at: expiresAt }
    await auditKey(trx, found, actor, 'key.rotate', details)
    await auditKey(trx, { ...found, key: replacement.key }, actor, 'key.create', {
      replaces: id,
      grace,
      old_expires_at: expiresAt,
      expires_at: newExpiry,
    })
    return keepAnswer(trx, kept, { ...replacement, oldKeyId: id, oldExpiresAt: expiresAt })
  })
}

async function insertReplacement(
  trx: Db,
  { config }: Deps,
  { key: old, now }: FoundKey,
  expiresAt: Date | null,
): Promise<IssuedKey> {
  const { companyId, environment, userId, name, description, scopes, type, ipAllowlist } = old
  const secret = newApiKey(config.servicePrefix, environment)
  const kept = { userId, name, description, scopes, type, ipAllowlist }
  const key: ApiKey = { ...freshKey({ companyId, environment }, secret), ...kept, expiresAt, createdAt: now }
  await insertKey(trx, key, hashApiKey(secret))
  return { key, secret }
}
