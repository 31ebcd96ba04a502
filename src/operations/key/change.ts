import { lockKey, revokeKeys, updateKey, type KeyFields } from '../../db/key/keys.ts'
import { inTransaction, type Db } from '../../db/connection/connection.ts'
import type { Deps } from '../../deps/deps.ts'
import type { Actor } from '../../domain/actor.ts'
import type { AuditAction } from '../../domain/audit/actions.ts'
import { changeDetails } from '../../domain/audit/entry.ts'
import { checkAllowlist } from '../../domain/key/allowlist.ts'
import { checkDescription, checkName, checkScopes, widens } from '../../domain/key/fields.ts'
import {
  checkKeyChange,
  type ApiKey,
  type FoundKey,
  type KeyChange,
  type ApiKeyView,
} from '../../domain/key/key.ts'
import { snakeCased } from '../../domain/fields/case.ts'
import { invalidRequest, orNotFound } from '../../domain/errors.ts'
import { isId } from '../../domain/ids.ts'
import { auditAs } from '../audit.ts'
import { inRingingTransaction } from '../ringing-transaction.ts'
import { keyRightsOf } from '../user/authority.ts'
import { checkExpiry, type ApiKeyInput } from './create.ts'
import { showApiKey, stateOf } from './read.ts'

/** The fields of a key that can change. */
export type ApiKeyUpdate = Partial<Omit<ApiKeyInput, 'type' | 'userId'> & { readonly isActive: boolean }>

/**
 * Changes the given fields only. The change applies from the next request on, in every process.
 *
 * @param precondition called with the locked key and what changes; throws to refuse the change
 * @throws ApiError NOT_FOUND, VALIDATION_ERROR, INVALID_REQUEST where the key's state forbids the change, or
 *   INSUFFICIENT_PERMISSIONS when the actor is a user who may not have such a key
 */
export async function updateApiKey(
  deps: Deps,
  companyId: string,
  actor: Actor,
  id: string,
  update: ApiKeyUpdate,
  precondition: (key: ApiKey, fields: KeyFields) => void = () => undefined,
): Promise<ApiKeyView> {
  await inTransaction(deps.db, async (trx) => {
    const requireRights = await keyRightsOf(trx, companyId, actor)
    const found = await lockOrRefuse(trx, companyId, id)
    const fields = toFields(update)
    requireRights(found.key, scopesOfChange(found.key, fields))
    precondition(found.key, fields)
    if (fields.expiresAt) checkExpiry(fields.expiresAt, found.now)
    for (const change of changesOf(fields)) refuseIllegal(found, change)
    if (Object.keys(fields).length === 0) return
    await updateKey(trx, companyId, id, fields, found.now)
    await auditKey(trx, found, actor, 'key.update', changeDetails(snakeCased(found.key), snakeCased(fields)))
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

/**
 * The scopes that the actor must be allowed to give: the new scopes, or the key's present scopes when the change widens
 * the key in another way.
 */
const scopesOfChange = (key: ApiKey, fields: KeyFields): readonly string[] =>
  fields.scopes ?? (widens(key, fields) ? key.scopes : [])

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
 * Revokes a key for good. Revoking it again changes nothing: the time and reason of the first revocation stay.
 *
 * @throws ApiError NOT_FOUND, or INSUFFICIENT_PERMISSIONS when the actor is a user who may not change it
 */
export async function revokeApiKey(
  deps: Deps,
  companyId: string,
  actor: Actor,
  id: string,
): Promise<ApiKeyView> {
  await inRingingTransaction(deps, async (trx) => {
    const requireRights = await keyRightsOf(trx, companyId, actor)
    const found = await lockOrRefuse(trx, companyId, id)
    requireRights(found.key, [])
    refuseIllegal(found, 'revoke')
    const revoked = await revokeKeys(trx, companyId, { id }, { reason: 'revoked', now: found.now })
    if (revoked.length > 0) await auditKey(trx, found, actor, 'key.revoke', { reason: 'revoked' })
  })
  return showApiKey(deps, companyId, id)
}

/** The key under lock. @throws ApiError NOT_FOUND */
export const lockOrRefuse = async (trx: Db, companyId: string, id: string): Promise<FoundKey> =>
  orNotFound(isId('apiKey', id) ? await lockKey(trx, companyId, id) : undefined, 'API key')

/** @throws ApiError INVALID_REQUEST where the key's state forbids the change */
export function refuseIllegal(found: FoundKey, change: KeyChange): void {
  const verdict = checkKeyChange(stateOf(found), change, found.key.rotatedTo !== null)
  if (verdict.kind === 'refused') throw invalidRequest(verdict.message)
}

/** Writes the audit entry of a change: what identifies the key, and nothing secret. */
export const auditKey = (
  trx: Db,
  { key, now }: FoundKey,
  actor: Actor,
  action: AuditAction,
  details: object,
) => auditAs(key, actor)(trx, action, key.id, now, { prefix: key.prefix, ...details })
