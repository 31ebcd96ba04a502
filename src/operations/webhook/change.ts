import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '../../domain/actor.js'
import { inTransaction } from '../../db/connection/connection.js'
import { PAGE_LANE, enqueueCommands } from '../../db/outbox.js'
import {
  findWebhook,
  lockWebhook,
  markWebhookDeleted,
  updateWebhook,
  type WebhookChange,
} from '../../db/webhook/webhooks.js'
import type { Deps } from '../../process/deps.js'
import { notFound } from '../../domain/errors.js'
import type { Tenant } from '../../domain/tenant.js'
import { sealHeaders, webhookHeaders, type Webhook } from '../../domain/webhook/webhook.js'
import { checkSecretIsCurrent } from './secret.js'
import { auditAs, type WebhookInput } from './create.js'

/** What a caller asks to change. The secret cannot change here: it is accepted only as it is. */
export type WebhookPatch = Partial<WebhookInput> & { readonly secret?: string }

/**
 * Changes the given fields only; what is given as it is already changes nothing, the version included. Activation wakes
 * the deliveries that were parked while the webhook was inactive.
 *
 * @param precondition called with the locked webhook; throws to refuse the change (If-Match)
 * @throws ApiError VALIDATION_ERROR for a secret other than the current one; NOT_FOUND
 */
export async function changeWebhook(
  deps: Deps,
  tenant: Tenant,
  actor: Actor,
  id: string,
  { secret, ...input }: WebhookPatch,
  precondition: (webhook: Webhook) => void = () => undefined,
): Promise<Webhook> {
  const changed = await inTransaction(deps.db, async (trx) => {
    const webhook = await lockWebhook(trx, tenant, id)
    if (!webhook) throw notFound('Webhook')
    if (secret !== undefined) await checkSecretIsCurrent(deps, trx, tenant, id, secret)
    precondition(webhook)
    const news = onlyNews(deps, tenant, webhook, input)
    if (Object.keys(news).length === 0) return webhook
    const now = deps.clock()
    await updateWebhook(trx, tenant, id, toChange(deps, tenant, webhook, news), now)
    if (news.is_active === true) {
      await enqueueCommands(trx, tenant, [{ kind: 'resume-webhook', subjectId: id, lane: PAGE_LANE }])
    }
    await auditAs(tenant, actor)(trx, 'webhook.update', id, now, { fields: Object.keys(news) })
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
    await enqueueCommands(trx, tenant, [{ kind: 'cancel-webhook', subjectId: id, lane: PAGE_LANE }])
    await auditAs(tenant, actor)(trx, 'webhook.delete', id, now)
  })
  deps.doorbell.ring()
}

/** The fields of the input that differ from what the webhook has. */
function onlyNews(
  { config }: Deps,
  tenant: Tenant,
  webhook: Webhook,
  input: Partial<WebhookInput>,
): Partial<WebhookInput> {
  const present: Required<WebhookInput> = {
    name: webhook.name,
    description: webhook.description,
    url: webhook.url,
    events: webhook.events,
    is_active: webhook.isActive,
    headers: webhookHeaders(config.secretsKeys, tenant.companyId, webhook),
    max_retries: webhook.maxRetries,
    retry_schedule: webhook.retrySchedule,
  }
  const given = { ...input, ...(input.events && { events: [...new Set(input.events)] }) }
  const news = Object.entries(given).filter(
    ([name, value]) => !isDeepStrictEqual(value, present[name as keyof WebhookInput]),
  )
  return Object.fromEntries(news)
}

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
    ...(input.events !== undefined && { events: input.events }),
    ...(input.is_active !== undefined && { isActive: input.is_active }),
    ...(input.is_active === true && { deactivatedReason: null }),
    ...(input.headers !== undefined && {
      headersSealed: sealHeaders(config.secretsKeys, tenant.companyId, webhook.id, input.headers),
    }),
    ...(input.max_retries !== undefined && { maxRetries: input.max_retries }),
    ...(input.retry_schedule !== undefined && { retrySchedule: input.retry_schedule }),
  }
}
