import type { Knex } from 'knex'
import { insertAudit } from '../../db/audit.js'
import type { Actor } from '../../domain/actor.js'
import { companyExists } from '../../db/companies.js'
import { inTransaction } from '../../db/connection/connection.js'
import { notePause } from '../../db/webhook/pauses.js'
import { countWebhooks, insertWebhook } from '../../db/webhook/webhooks.js'
import type { Deps } from '../../process/deps.js'
import { ApiError } from '../../domain/errors.js'
import { newId } from '../../domain/ids.js'
import { newWebhookSecret } from '../../domain/webhook/signing.js'
import type { Tenant } from '../../domain/tenant.js'
import { checkNewWebhook } from '../../domain/webhook/fields.js'
import {
  DEFAULT_SETTINGS,
  sealSecret,
  sealSettings,
  type Webhook,
  type WebhookSettings,
} from '../../domain/webhook/webhook.js'
import { keepAnswer, type AnswerToKeep } from '../idempotency.js'
import { requireRole } from '../user/authority.js'

/** What a caller gives to create a webhook. */
export type NewWebhookInput = Pick<WebhookSettings, 'name' | 'url' | 'events'> & Partial<WebhookSettings>

/** A new webhook, with its headers and its secret in clear. Only this and a regeneration show a secret. */
export type CreatedWebhook = {
  readonly webhook: Webhook
  readonly headers: Readonly<Record<string, string>>
  readonly secret: string
}

/**
 * Registers an endpoint and issues its secret.
 *
 * @throws ApiError VALIDATION_ERROR, or CONFLICT when the tenant has WEBHOOKS_PER_TENANT webhooks
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
  await inTransaction(db, async (trx) => {
    await requireRole(trx, tenant.companyId, actor, 'webhooks.write')
    await companyExists(trx, tenant.companyId, { lock: true })
    if ((await countWebhooks(trx, tenant)) >= config.webhooksPerTenant) {
      throw new ApiError('CONFLICT', `No more than ${config.webhooksPerTenant} webhooks are allowed.`)
    }
    await insertWebhook(trx, tenant, {
      ...webhook,
      secretSealed: sealSecret(config.secretsKeys, tenant.companyId, id, secret),
    })
    await notePause(trx, id, { before: undefined, after: webhook, now })
    await auditAs(tenant, actor)(trx, 'webhook.create', id, now)
    await keepAnswer(trx, kept, { webhook, headers, secret })
  })
  return { webhook, headers, secret }
}

/** Writes the audit row of a change in that change's transaction. */
export const auditAs =
  ({ companyId }: Tenant, actor: Actor) =>
  (trx: Knex.Transaction, action: string, targetId: string, at: Date, details = {}) =>
    insertAudit(trx, { companyId, at, actor, action, targetId, details })
