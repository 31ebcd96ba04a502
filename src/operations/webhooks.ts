import type { Knex } from 'knex'
import { insertAudit, type Actor } from '../db/audit.js'
import { companyExists } from '../db/companies.js'
import { inTransaction } from '../db/connection.js'
import { COMMAND_LANE, enqueueCommands } from '../db/outbox.js'
import {
  countWebhooks,
  findWebhook,
  insertWebhook,
  lockWebhook,
  markWebhookDeleted,
  updateWebhook,
  type WebhookChange,
} from '../db/webhooks.js'
import type { Deps } from '../deps.js'
import { ApiError, notFound } from '../domain/errors.js'
import { newId } from '../domain/ids.js'
import { seal } from '../domain/sealing.js'
import { newWebhookSecret } from '../domain/signing.js'
import type { Tenant } from '../domain/tenant.js'
import { DEFAULT_MAX_RETRIES, sealHeaders, sealingContext, type Webhook } from '../domain/webhooks.js'

/** The fields of a webhook that a caller sets, validated. */
export type WebhookInput = {
  readonly name: string
  readonly url: string
  readonly events: readonly string[]
  readonly description?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly is_active?: boolean
  readonly max_retries?: number
  readonly retry_schedule?: readonly number[] | null
}

/** A webhook and its secret in clear: the only two answers that show it are creation and regeneration. */
export type WebhookWithSecret = { readonly webhook: Webhook; readonly secret: string }

/**
 * Registers an endpoint and issues its secret.
 *
 * @throws ApiError CONFLICT when the tenant has WEBHOOKS_PER_TENANT webhooks
 */
export async function createWebhook(
  deps: Deps,
  tenant: Tenant,
  actor: Actor,
  input: WebhookInput,
): Promise<WebhookWithSecret> {
  const { config, db, clock } = deps
  const id = newId('webhook')
  const secret = newWebhookSecret()
  const now = clock()
  const webhook: Webhook = {
    id,
    name: input.name,
    description: input.description ?? null,
    url: input.url,
    events: [...new Set(input.events)],
    isActive: input.is_active ?? true,
    headersSealed: sealHeaders(config.secretsKeys, tenant.companyId, id, input.headers ?? {}),
    maxRetries: input.max_retries ?? DEFAULT_MAX_RETRIES,
    retrySchedule: input.retry_schedule ?? null,
    deactivatedReason: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  }
  await inTransaction(db, async (trx) => {
    await companyExists(trx, tenant.companyId, { lock: true })
    if ((await countWebhooks(trx, tenant)) >= config.webhooksPerTenant) {
      throw new ApiError('CONFLICT', `No more than ${config.webhooksPerTenant} webhooks are allowed.`)
    }
    await insertWebhook(trx, tenant, { ...webhook, secretSealed: sealSecret(deps, tenant, id, secret) })
    await auditAs(tenant, actor)(trx, 'webhook.create', id, now)
  })
  return { webhook, secret }
}

/**
 * Changes the given fields only. Activation wakes the deliveries that were parked while the webhook was inactive.
 *
 * @param precondition called with the locked webhook; throws to refuse the change (If-Match)
 */
export async function changeWebhook(
  deps: Deps,
  tenant: Tenant,
  actor: Actor,
  id: string,
  input: Partial<WebhookInput>,
  precondition: (webhook: Webhook) => void = () => undefined,
): Promise<Webhook> {
  const changed = await inTransaction(deps.db, async (trx) => {
    const webhook = await lockWebhook(trx, tenant, id)
    if (!webhook) throw notFound('Webhook')
    precondition(webhook)
    if (Object.keys(input).length === 0) return webhook
    const now = deps.clock()
    await updateWebhook(trx, tenant, id, toChange(deps, tenant, webhook, input), now)
    if (input.is_active === true && !webhook.isActive) {
      await enqueueCommands(trx, tenant, [{ kind: 'resume-webhook', subjectId: id, lane: COMMAND_LANE }])
    }
    await auditAs(tenant, actor)(trx, 'webhook.update', id, now, { fields: Object.keys(input) })
    return findWebhook(trx, tenant, id)
  })
  deps.doorbell.ring()
  if (!changed) throw notFound('Webhook')
  return changed
}

/** Deletes the webhook at once for every caller; the relay closes its open deliveries and cancels their workflows. */
export async function deleteWebhook(
  deps: Deps,
  tenant: Tenant,
  actor: Actor,
  id: string,
  precondition: (webhook: Webhook) => void = () => undefined,
): Promise<void> {
  await inTransaction(deps.db, async (trx) => {
    const webhook = await lockWebhook(trx, tenant, id)
    if (!webhook) throw notFound('Webhook')
    precondition(webhook)
    const now = deps.clock()
    await markWebhookDeleted(trx, tenant, id, now)
    await enqueueCommands(trx, tenant, [{ kind: 'cancel-webhook', subjectId: id, lane: COMMAND_LANE }])
    await auditAs(tenant, actor)(trx, 'webhook.delete', id, now)
  })
  deps.doorbell.ring()
}

/** Replaces the secret. The former one is invalid at once: attempts are signed with the row's secret when they go out. */
export async function regenerateSecret(
  deps: Deps,
  tenant: Tenant,
  actor: Actor,
  id: string,
): Promise<{ id: string; secret: string }> {
  const secret = newWebhookSecret()
  await inTransaction(deps.db, async (trx) => {
    if (!(await lockWebhook(trx, tenant, id))) throw notFound('Webhook')
    const now = deps.clock()
    const secretSealed = sealSecret(deps, tenant, id, secret)
    await updateWebhook(trx, tenant, id, { secretSealed }, now)
    await auditAs(tenant, actor)(trx, 'webhook.regenerate_secret', id, now)
  })
  return { id, secret }
}

/** Writes the audit row of a change in that change's transaction. */
const auditAs =
  ({ companyId }: Tenant, actor: Actor) =>
  (trx: Knex.Transaction, action: string, subjectId: string, at: Date, details = {}) =>
    insertAudit(trx, { companyId, at, actor, action, subjectId, details })

const sealSecret = ({ config }: Deps, { companyId }: Tenant, id: string, secret: string): string =>
  seal(config.secretsKeys, secret, sealingContext(companyId, id, 'secret'))

function toChange(
  { config }: Deps,
  tenant: Tenant,
  webhook: Webhook,
  input: Partial<WebhookInput>,
): WebhookChange {
  return {
    ...(input.name !== undefined && { name: input.name }),
    ...(input.description !== undefined && { description: input.description }),
    ...(input.url !== undefined && { url: input.url }),
    ...(input.events !== undefined && { events: [...new Set(input.events)] }),
    ...(input.is_active !== undefined && { isActive: input.is_active }),
    ...(input.is_active === true && { deactivatedReason: null }),
    ...(input.headers !== undefined && {
      headersSealed: sealHeaders(config.secretsKeys, tenant.companyId, webhook.id, input.headers),
    }),
    ...(input.max_retries !== undefined && { maxRetries: input.max_retries }),
    ...(input.retry_schedule !== undefined && { retrySchedule: input.retry_schedule }),
  }
}
