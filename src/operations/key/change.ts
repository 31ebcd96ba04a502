import type { FoundKey } from '../../domain/key/key.js'
import { insertKey, lockKey, markRotated, revokeKeys, updateKey, type KeyFields } from '../../db/key/keys.js'
import { insertAudit } from '../../db/audit.js'
import type { Actor } from '../../domain/actor.js'
import { inTransaction, type Db } from '../../db/connection/connection.js'
import { COMMAND_QUEUE, enqueueCommands } from '../../db/outbox.js'
import type { Deps } from '../../process/deps.js'
import { checkAllowlist, checkDescription, checkName, checkScopes } from '../../domain/key/fields.js'
import { checkKeyChange, hashApiKey, newApiKey, type ApiKey, type KeyChange } from '../../domain/key/key.js'
import { ApiError, notFound } from '../../domain/errors.js'
import { isId } from '../../domain/ids.js'
import { rotatedExpiry, type RotationGrace } from '../../domain/key/rotation.js'
import { checkExpiry, freshKey } from './create.js'
import { showApiKey, stateOf } from './read.js'
import type { ApiKeyInput, IssuedKey } from './create.js'
import type { ApiKeyView } from './read.js'

/** The fields of a key that can change. */
export type ApiKeyUpdate = Partial<
  Pick<ApiKeyInput, 'name' | 'description' | 'scopes' | 'ipAllowlist' | 'expiresAt'> & {
    readonly isActive: boolean
  }
>

/**
 * Changes the given fields only. The change applies from the next request on, in every process.
 *
 * @throws ApiError NOT_FOUND, VALIDATION_ERROR, or INVALID_REQUEST where the key's state forbids the change
 */
export async function updateApiKey(
  deps: Deps,
  companyId: string,
  actor: Actor,
  id: string,
  update: ApiKeyUpdate,
): Promise<ApiKeyView> {
  await inTransaction(deps.db, async (trx) => {
    const found = await lockOrRefuse(trx, companyId, id)
    const fields = toFields(update)
    if (fields.expiresAt) checkExpiry(fields.expiresAt, found.now)
    for (const change of changesOf(fields)) refuseIllegal(found, change)
    if (Object.keys(fields).length === 0) return
    await updateKey(trx, companyId, id, fields, found.now)
    await audit(trx, found, actor, 'key.update', fields)
  })
  return showApiKey(deps, companyId, id)
}

const toFields = (update: ApiKeyUpdate): KeyFields => ({
  ...(update.name !== undefined && { name: checkName(update.name) }),
  ...(update.description !== undefined && { description: checkDescription(update.description) }),
  ...(update.scopes !== undefined && { scopes: checkScopes(update.scopes) }),
  ...(update.ipAllowlist !== undefined && { ipAllowlist: checkAllowlist(update.ipAllowlist) }),
  ...(update.isActive !== undefined && { isActive: update.isActive }),
  ...(update.expiresAt !== undefined && { expiresAt: update.expiresAt }),
})

function changesOf(fields: KeyFields): KeyChange[] {
  const changes: KeyChange[] = []
  if (fields.name !== undefined) changes.push('rename')
  if (fields.description !== undefined) changes.push('describe')
  if (fields.scopes !== undefined) changes.push('changeScopes')
  if (fields.ipAllowlist !== undefined) changes.push('changeAllowlist')
  if (fields.expiresAt !== undefined) changes.push('setExpiry')
  if (fields.isActive !== undefined) changes.push(fields.isActive ? 'activate' : 'deactivate')
  return changes
}

/**
 * Revokes a key for good. Revoking it again changes nothing: the first time and reason stay.
 *
 * @throws ApiError NOT_FOUND
 */
export async function revokeApiKey(
  deps: Deps,
  companyId: string,
  actor: Actor,
  id: string,
): Promise<ApiKeyView> {
  await inTransaction(deps.db, async (trx) => {
    const found = await lockOrRefuse(trx, companyId, id)
    refuseIllegal(found, 'revoke')
    const revoked = await revokeKeys(trx, companyId, { id }, { reason: 'revoked', now: found.now })
    if (revoked.length > 0) await audit(trx, found, actor, 'key.revoke', { reason: 'revoked' })
  })
  deps.doorbell.ring()
  return showApiKey(deps, companyId, id)
}

/** A rotation: the replacement key in clear, and when the old key ends. */
export type Rotation = IssuedKey & { readonly oldKeyId: string; readonly oldExpiresAt: Date }

/**
 * Issues a replacement key with the old key's environment, user, scopes, allowlist, type, name and description. The old
 * key expires after the grace period, never later than it would have. The lock lets one of several parallel rotations
 * win. The timer is only queued: authentication compares the expiry with the database's clock, even while no worker runs.
 *
 * @throws ApiError NOT_FOUND, or INVALID_REQUEST for a key that is not active or in rotation already
 */
export async function rotateApiKey(
  deps: Deps,
  companyId: string,
  actor: Actor,
  id: string,
  grace: RotationGrace,
): Promise<Rotation> {
  const rotation = await inTransaction(deps.db, async (trx) => {
    const found = await lockOrRefuse(trx, companyId, id)
    refuseIllegal(found, 'rotate')
    const { key: old, now } = found
    const expiresAt = rotatedExpiry(old.expiresAt, now, deps.config.rotationGracesMs[grace])
    const replacement = await insertReplacement(trx, deps, found)
    await markRotated(trx, companyId, id, { rotatedTo: replacement.key.id, expiresAt, now })
    await enqueueCommands(trx, { companyId }, [
      { kind: 'expire-key', targetId: id, queue: COMMAND_QUEUE, argument: expiresAt.getTime() },
    ])
    const details = {
      grace,
      rotated_to: replacement.key.id,
      heir_prefix: replacement.key.prefix,
      expires_at: expiresAt,
    }
    await audit(trx, found, actor, 'key.rotate', details)
    return { ...replacement, oldKeyId: id, oldExpiresAt: expiresAt }
  })
  deps.doorbell.ring()
  return rotation
}

async function insertReplacement(trx: Db, { config }: Deps, { key: old, now }: FoundKey): Promise<IssuedKey> {
  const secret = newApiKey(config.servicePrefix, old.environment)
  const key: ApiKey = {
    ...freshKey({ companyId: old.companyId, environment: old.environment }, secret),
    userId: old.userId,
    name: old.name,
    description: old.description,
    scopes: old.scopes,
    type: old.type,
    ipAllowlist: old.ipAllowlist,
    createdAt: now,
  }
  await insertKey(trx, key, hashApiKey(secret))
  return { key, secret }
}

async function lockOrRefuse(trx: Db, companyId: string, id: string): Promise<FoundKey> {
  const found = isId('apiKey', id) ? await lockKey(trx, companyId, id) : undefined
  if (!found) throw notFound('API key')
  return found
}

function refuseIllegal(found: FoundKey, change: KeyChange): void {
  const verdict = checkKeyChange(stateOf(found), change)
  if (verdict.kind === 'refused') throw new ApiError('INVALID_REQUEST', verdict.message)
}

/** Writes the audit entry of a change: what identifies the key, and nothing secret. */
const audit = (trx: Db, { key, now }: FoundKey, actor: Actor, action: string, details: object) =>
  insertAudit(trx, {
    companyId: key.companyId,
    at: now,
    actor,
    action,
    targetId: key.id,
    details: { prefix: key.prefix, ...details },
  })
