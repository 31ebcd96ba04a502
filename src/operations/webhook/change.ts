import type { Actor } from '../../domain/actor.ts'
import { changeDetails, type AuditDetails } from '../../domain/audit/entry.ts'
import { lockCompany } from '../../db/companies.ts'
import { enqueueCommands } from '../../db/outbox/outbox.ts'
import { PAGE_QUEUE } from '../../db/outbox/queues.ts'
import { endRecoveryOfDeleted, giveTurns } from '../../db/recovery/turns.ts'
import { changeHealth, deleteHealth } from '../../db/webhook/health-rows.ts'
import { deletePauses, notePause } from '../../db/webhook/pauses.ts'
import { findWebhook, lockWebhook, markWebhookDeleted, updateWebhook } from '../../db/webhook/webhooks.ts'
import type { Deps } from '../../deps/deps.ts'
import { orNotFound } from '../../domain/errors.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { snakeCase, snakeCased } from '../../domain/fields/case.ts'
import { afterChange } from '../../domain/webhook/health.ts'
import { checkWebhookChange, type WebhookSettings } from '../../domain/webhook/settings.ts'
import { withStoredValues } from '../../domain/webhook/headers.ts'
import { sealSettings, settingsOf, type Webhook } from '../../domain/webhook/webhook.ts'
import { requireRole } from '../user/authority.ts'
import { checkSecretIsCurrent } from './secret.ts'
import { auditAs } from '../audit.ts'
import { inRingingTransaction } from '../ringing-transaction.ts'
import { limitFilters, limitSwitches } from './limits.ts'
import { differencesOf } from '../differences.ts'

/**
 * What a caller asks to change. The secret cannot change here: only its current value is accepted. A header that is
 * given as null keeps its stored value.
 */
export type WebhookChangeInput = Partial<Omit<WebhookSettings, 'headers'>> & {
  readonly headers?: Readonly<Record<string, string | null>>
  readonly secret?: string
}

/**
 * Changes the given fields only. If all given fields already have the given values, nothing changes, not even the
 * version. Activation wakes the deliveries that were parked while the webhook was inactive.
 *
 * @param precondition called with the locked webhook; throws to refuse the change (If-Match)
 * @throws ApiError INSUFFICIENT_PERMISSIONS for a user without the role; VALIDATION_ERROR for wrong settings, and for a
 *   secret other than the current one; NOT_FOUND; CONFLICT when the tenant's filters would be too large together;
 *   RATE_LIMITED when the webhook is switched or gets other event types too often
 */
export async function changeWebhook(
  deps: Deps,
  tenant: Tenant,
  actor: Actor,
  id: string,
  { secret, headers, ...input }: WebhookChangeInput,
  precondition: (webhook: Webhook) => void = () => undefined,
): Promise<Webhook> {
  const { config } = deps
  return inRingingTransaction(deps, async (trx) => {
    await requireRole(trx, tenant.companyId, actor, 'webhooks.write')
    // Lock the company before the webhook, as createWebhook does, so that parallel changes cannot exceed the limit of filters.
    if (input.filter) await lockCompany(trx, tenant.companyId)
    const webhook = orNotFound(await lockWebhook(trx, tenant, id), 'Webhook')
    if (secret !== undefined) await checkSecretIsCurrent(deps, trx, tenant, id, secret)
    precondition(webhook)
    const settings = settingsOf(config.secretsKeys, tenant.companyId, webhook)
    const asked = { ...input, ...(headers && { headers: withStoredValues(headers, settings.headers) }) }
    const changes = differencesOf(settings, checkWebhookChange(asked, config.webhookAllowedNetworks))
    if (Object.keys(changes).length === 0) return webhook
    if (changes.filter) await limitFilters(trx, tenant, id, changes.filter)
    const now = deps.clock()
    if (changes.isActive !== undefined || changes.events) await limitSwitches(trx, tenant, actor, id, now)
    const sealed = sealSettings(config.secretsKeys, tenant.companyId, id, changes)
    const activated = changes.isActive === true && { deactivatedReason: null }
    await updateWebhook(trx, tenant, id, { ...sealed, ...activated }, now)
    await notePause(trx, id, { before: webhook, after: { ...webhook, ...changes }, now })
    if (changes.isActive === true) {
      await enqueueCommands(trx, tenant, [{ kind: 'resume-webhook', targetId: id, queue: PAGE_QUEUE }])
    }
    if (changes.isActive !== undefined || changes.url !== undefined) await changeHealth(trx, id, afterChange)
    await auditAs(tenant, actor)(trx, 'webhook.update', id, now, {
      fields: Object.keys(changes).map(snakeCase),
      ...changeDetails(auditedSettings(settings), auditedSettings(changes)),
    })
    if (changes.isActive === true) await giveTurns(trx, tenant.companyId)
    return orNotFound(await findWebhook(trx, tenant, id), 'Webhook')
  })
}

/**
 * Deletes the webhook at once for every caller. The relay closes its open deliveries and cancels their workflows.
 *
 * @param precondition called with the locked webhook; throws to refuse the deletion (If-Match)
 * @throws ApiError INSUFFICIENT_PERMISSIONS for a user without the role; NOT_FOUND; what `precondition` throws
 */
export async function deleteWebhook(
  deps: Deps,
  tenant: Tenant,
  actor: Actor,
  id: string,
  precondition: (webhook: Webhook) => void = () => undefined,
): Promise<void> {
  const recoveryId = await inRingingTransaction(deps, async (trx) => {
    await requireRole(trx, tenant.companyId, actor, 'webhooks.write')
    precondition(orNotFound(await lockWebhook(trx, tenant, id), 'Webhook'))
    const now = deps.clock()
    await markWebhookDeleted(trx, tenant, id, now)
    await deleteHealth(trx, id)
    await deletePauses(trx, id)
    await enqueueCommands(trx, tenant, [{ kind: 'cancel-webhook', targetId: id, queue: PAGE_QUEUE }])
    await auditAs(tenant, actor)(trx, 'webhook.delete', id, now)
    return endRecoveryOfDeleted(trx, tenant, id, now)
  })
  if (recoveryId !== undefined) deps.metrics.countRecoveryEnd('webhook_deleted')
}

/** Settings as the audit shows them: the names of headers and the origin of a URL, because the rest may be a credential. */
const auditedSettings = ({ url, headers, ...others }: Partial<WebhookSettings>): AuditDetails => ({
  ...snakeCased<unknown>(others),
  ...(url !== undefined && { url: `${new URL(url).origin}/…` }),
  ...(headers && { headers: Object.keys(headers) }),
})
