import type { Knex } from 'knex'
import type { Actor } from '../../domain/actor.ts'
import { inTransaction } from '../../db/connection/connection.ts'
import { findSealedSecret, findWebhook, lockWebhook, updateWebhook } from '../../db/webhook/webhooks.ts'
import type { Deps } from '../../deps/deps.ts'
import { invalid, orNotFound } from '../../domain/errors.ts'
import { isSameSecret, newWebhookSecret } from '../../domain/webhook/signing.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { openSecret, sealSecret, webhookHeaders } from '../../domain/webhook/webhook.ts'
import { keepAnswer, type AnswerToKeep } from '../idempotency.ts'
import { requireRole } from '../user/authority.ts'
import { auditAs } from '../audit.ts'

/** A webhook's new secret in clear. */
export type RegeneratedSecret = { readonly id: string; readonly secret: string }

/**
 * Replaces the secret. The former one is invalid at once: an attempt that goes out is signed with the row's secret.
 *
 * @throws ApiError INSUFFICIENT_PERMISSIONS for a user without the role; NOT_FOUND
 */
export async function regenerateSecret(
  deps: Deps,
  tenant: Tenant,
  actor: Actor,
  id: string,
  kept?: AnswerToKeep<RegeneratedSecret>,
): Promise<RegeneratedSecret> {
  const secret = newWebhookSecret()
  return inTransaction(deps.db, async (trx) => {
    await requireRole(trx, tenant.companyId, actor, 'webhooks.regenerate_secret')
    orNotFound(await lockWebhook(trx, tenant, id), 'Webhook')
    const now = deps.clock()
    const secretSealed = sealSecret(deps.config.secretsKeys, tenant.companyId, id, secret)
    await updateWebhook(trx, tenant, id, { secretSealed }, now)
    await auditAs(tenant, actor)(trx, 'webhook.regenerate_secret', id, now)
    return keepAnswer(trx, kept, { id, secret })
  })
}

/**
 * The custom headers of a webhook in clear; other answers hide their values from users. Writes an audit entry.
 *
 * @throws ApiError INSUFFICIENT_PERMISSIONS for a user without the role; NOT_FOUND
 */
export async function revealHeaders(
  { config, db, clock }: Deps,
  tenant: Tenant,
  actor: Actor,
  id: string,
): Promise<Record<string, string>> {
  return inTransaction(db, async (trx) => {
    await requireRole(trx, tenant.companyId, actor, 'webhooks.reveal_headers')
    const webhook = orNotFound(await findWebhook(trx, tenant, id), 'Webhook')
    await auditAs(tenant, actor)(trx, 'webhook.reveal_headers', id, clock())
    return webhookHeaders(config.secretsKeys, tenant.companyId, webhook)
  })
}

/**
 * Refuses an update that names another secret than the current one. If we ignored it, the caller would go on to verify
 * signatures with a secret that never matches.
 *
 * @throws ApiError VALIDATION_ERROR, NOT_FOUND
 */
export async function checkSecretIsCurrent(
  { config }: Deps,
  trx: Knex.Transaction,
  tenant: Tenant,
  id: string,
  given: string,
): Promise<void> {
  const sealed = orNotFound(await findSealedSecret(trx, tenant, id), 'Webhook')
  const current = openSecret(config.secretsKeys, tenant.companyId, id, sealed)
  if (isSameSecret(given, current)) return
  throw invalid('"secret" must be the current one or be left out: only regenerate-secret replaces it.')
}
