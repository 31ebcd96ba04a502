import { countLiveKeys, insertKey } from '../../db/key/keys.ts'
import { auditAs } from '../audit.ts'
import { keptDetails, type AuditDetails } from '../../domain/audit/entry.ts'
import type { Actor } from '../../domain/actor.ts'
import { databaseNow } from '../../db/clock.ts'
import { inTransaction, type Db } from '../../db/connection/connection.ts'
import { lockMembership } from '../../db/user/users.ts'
import type { Deps } from '../../deps/deps.ts'
import { checkDescription, checkName, checkScopes } from '../../domain/key/fields.ts'
import { checkAllowlist } from '../../domain/key/allowlist.ts'
import { hashApiKey, keyPrefixOf, newApiKey, type ApiKey, type KeyType } from '../../domain/key/key.ts'
import { conflict, notFound, invalid } from '../../domain/errors.ts'
import { isId, newId } from '../../domain/ids.ts'
import { lockCompanyOrRefuse } from '../companies.ts'
import { keepAnswer, type AnswerToKeep } from '../idempotency.ts'
import { keyRightsOf } from '../user/authority.ts'
import type { Tenant } from '../../domain/tenant.ts'

/** The fields from which a key is made. */
export type ApiKeyInput = {
  readonly name: string
  readonly scopes: readonly string[]
  /** By default Personal when `userId` is given, otherwise Shared. */
  readonly type?: KeyType
  readonly userId?: string
  readonly description?: string | null
  readonly expiresAt?: Date | null
  /** Entries, or the text of a text area with one entry per line. */
  readonly ipAllowlist?: readonly string[] | string
}

/** A key in clear: the answers to creation and rotation are the only ones that ever show it. */
export type IssuedKey = { readonly key: ApiKey; readonly secret: string }

/**
 * Issues a key that is active at once.
 *
 * @throws ApiError VALIDATION_ERROR for a field, NOT_FOUND for an unknown company or user, INSUFFICIENT_PERMISSIONS when
 *   the actor is a user who may not have such a key, CONFLICT when the company has KEYS_PER_COMPANY live keys
 */
export async function createApiKey(
  deps: Deps,
  tenant: Tenant,
  actor: Actor,
  input: ApiKeyInput,
  kept?: AnswerToKeep<IssuedKey>,
): Promise<IssuedKey> {
  const { db, config } = deps
  const secret = newApiKey(config.servicePrefix, tenant.environment)
  const draft = toDraft(tenant, secret, input)
  return inTransaction(db, async (trx) => {
    const requireRights = await keyRightsOf(trx, tenant.companyId, actor)
    await requireOwners(trx, draft)
    requireRights(draft, draft.scopes)
    const now = await databaseNow(trx)
    if (draft.expiresAt !== null) checkExpiry(draft.expiresAt, now)
    const key = { ...draft, createdAt: now }
    if ((await countLiveKeys(trx, key.companyId)) >= config.keysPerCompany) {
      throw conflict(
        `A company may have ${config.keysPerCompany} keys that are neither revoked nor expired: revoke one first.`,
      )
    }
    await insertKey(trx, key, hashApiKey(secret))
    const details = { prefix: key.prefix, ...auditedNew(key) }
    await auditAs(key, actor)(trx, 'key.create', key.id, now, details)
    return keepAnswer(trx, kept, { key, secret })
  })
}

function toDraft(tenant: Tenant, secret: string, input: ApiKeyInput): Omit<ApiKey, 'createdAt'> {
  const type = input.type ?? (input.userId === undefined ? 'Shared' : 'Personal')
  if (type === 'Personal' && input.userId === undefined) throw invalid('A Personal key needs a user.')
  return {
    ...freshKey(tenant, secret),
    userId: input.userId ?? null,
    name: checkName(input.name),
    description: checkDescription(input.description ?? null),
    scopes: checkScopes(input.scopes),
    type,
    ipAllowlist: checkAllowlist(input.ipAllowlist ?? []),
    expiresAt: input.expiresAt ?? null,
  }
}

/** @throws ApiError VALIDATION_ERROR unless the expiry is after `now`, a time of the database's clock */
export function checkExpiry(expiresAt: Date, now: Date): void {
  if (expiresAt <= now) throw invalid('"expires_at" must be in the future.')
}

/** What the audit says of a new key. If an allowlist is too long for an audit entry, only its length is kept. */
const auditedNew = ({ name, type, scopes, ipAllowlist, expiresAt }: ApiKey): AuditDetails =>
  keptDetails({
    name,
    type,
    scopes,
    ...(ipAllowlist.length > 0 && { ip_allowlist: ipAllowlist }),
    ...(expiresAt && { expires_at: expiresAt }),
  })

/** What every key starts with, whether it is created or replaces another. */
export const freshKey = (tenant: Tenant, secret: string) => ({
  ...tenant,
  id: newId('apiKey'),
  prefix: keyPrefixOf(secret),
  isActive: true,
  expiresAt: null,
  revokedAt: null,
  revokedReason: null,
  rotatedTo: null,
  lastUsedAt: null,
  lastUsedIp: null,
  requestCount: 0,
})

/**
 * Locks the company, so that parallel creations cannot exceed the limit. Locks the user's membership, so that the user
 * cannot leave while the key is made.
 */
async function requireOwners(trx: Db, { companyId, userId }: Pick<ApiKey, 'companyId' | 'userId'>) {
  await lockCompanyOrRefuse(trx, companyId)
  if (userId === null) return
  if (!isId('user', userId) || !(await lockMembership(trx, companyId, userId))) throw notFound('User')
}
