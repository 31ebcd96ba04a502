import { isSuspended } from '../companies.ts'
import type { SystemDb } from '../connection/connection.ts'
import { readRows } from '../connection/statements.ts'

/*
 * Reads under a lock what decides whether deliveries are parked. The activation of the webhook and the resumption of the
 * company wait for the caller's transaction, or have happened before it.
 */

/**
 * True if the deliveries of a webhook are parked: it is inactive, or its company is suspended. Then the row that says so
 * is locked in share mode. The company's row is locked only if it is the reason, because large publishes and new webhooks
 * lock it too.
 */
export async function lockIfParked(trx: SystemDb, webhookId: string): Promise<boolean> {
  return (await lockWebhookIf(trx, webhookId, { isActive: false })) || (await lockIfSuspended(trx, webhookId))
}

/**
 * True if the deliveries of a webhook may be sent. Then the webhook is locked in share mode. The company is not: if it is
 * suspended meanwhile, the gate parks its deliveries again.
 */
export async function lockIfSending(trx: SystemDb, webhookId: string, companyId: string): Promise<boolean> {
  return (await lockWebhookIf(trx, webhookId, { isActive: true })) && !(await isSuspended(trx, companyId))
}

/** Locks the webhook in share mode. @returns whether it is there, and active or inactive as the caller wants it */
async function lockWebhookIf(
  trx: SystemDb,
  id: string,
  { isActive }: { isActive: boolean },
): Promise<boolean> {
  const webhooks = await readRows(trx)`
    SELECT id FROM webhooks WHERE id = ${id} AND is_active = ${isActive ? 1 : 0} AND deleted_at IS NULL
      LOCK IN SHARE MODE`
  return webhooks.length > 0
}

/** Locks the company of a webhook in share mode. @returns whether the webhook is there and the company suspended */
async function lockIfSuspended(trx: SystemDb, webhookId: string): Promise<boolean> {
  const companies = await readRows(trx)`
    SELECT c.id FROM webhooks w STRAIGHT_JOIN companies c ON c.id = w.company_id
     WHERE w.id = ${webhookId} AND w.deleted_at IS NULL AND c.suspended_at IS NOT NULL LOCK IN SHARE MODE`
  return companies.length > 0
}
