import { auditAs } from '../audit.ts'
import type { Actor } from '../../domain/actor.ts'
import { inTransaction } from '../../db/connection/connection.ts'
import { notePause } from '../../db/webhook/pauses.ts'
import { countWebhooks, insertWebhook } from '../../db/webhook/webhooks.ts'
import type { Deps } from '../../deps/deps.ts'
import { conflict } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { newWebhookSecret } from '../../domain/webhook/signing.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { checkNewWebhook, DEFAULT_SETTINGS, type WebhookSettings } from '../../domain/webhook/settings.ts'
import { sealSecret, sealSettings, type CreatedWebhook, type Webhook } from '../../domain/webhook/webhook.ts'
import { lockCompanyOrRefuse } from '../companies.ts'
import { keepAnswer, type AnswerToKeep } from '../idempotency.ts'
import { limitFilters } from './limits.ts'
import { requireRole } from '../user/authority.ts'

/** What a caller gives to create a webhook. */
export type NewWebhookInput = Pick<WebhookSettings, 'name' | 'url' | 'events'> & Partial<WebhookSettings>

/**
 * Registers an endpoint and issues its secret.
 *
 * @throws ApiError VALIDATION_ERROR; INSUFFICIENT_PERMISSIONS; NOT_FOUND when the company no longer exists; CONFLICT
 *   when the tenant has WEBHOOKS_PER_TENANT webhooks, or its filters would be too large together
 */
export async function createWebhook(
  deps: Deps,
  tenant: Tenant,
  actor: Actor,
  input: NewWebhookInput,
  kept?: AnswerToKeep<CreatedWebhook>,
): Promise<CreatedWebhook> {
  const { config, db, clock } = deps
  const settings = { ...DEFAULT_SETTINGS, ...checkNewWebhook(input, config.webhookAllowedNetworks) }
  const { headers } = settings
  const id = newId('webhook')
  const secret = newWebhookSecret()
  const now = clock()
  const webhook: Webhook = {
    headersSealed: null,
    ...sealSettings(config.secretsKeys, tenant.companyId, id, settings),
    id,
    deactivatedReason: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  }
  return inTransaction(db, async (trx) => {
    await requireRole(trx, tenant.companyId, actor, 'webhooks.write')
    await lockCompanyOrRefuse(trx, tenant.companyId)
    if ((await countWebhooks(trx, tenant)) >= config.webhooksPerTenant)
      throw conflict(`No more than ${config.webhooksPerTenant} webhooks are allowed.`)
    await limitFilters(trx, tenant, id, webhook.filter)
    const secretSealed = sealSecret(config.secretsKeys, tenant.companyId, id, secret)
    await insertWebhook(trx, tenant, { ...webhook, secretSealed })
    await notePause(trx, id, { before: undefined, after: webhook, now })
    await auditAs(tenant, actor)(trx, 'webhook.create', id, now)
    return keepAnswer(trx, kept, { webhook, headers, secret })
  })
}
