import { afterChange } from '../../domain/webhook/health.ts'
import { databaseNow } from '../clock.ts'
import { isSuspended } from '../companies.ts'
import { inTransaction, type SystemDb } from '../connection/connection.ts'
import { changeHealth } from './health-rows.ts'
import { deactivate, lockIfFree } from './deactivations.ts'
import { readRows } from '../connection/statements.ts'

/** The number of open deliveries of a webhook, and how many of them had no attempt yet. */
export type Backlog = { readonly webhookId: string; readonly waiting: number; readonly pending: number }

/**
 * Reads from the counters how many deliveries wait for each webhook of a page.
 *
 * @param afterId the last webhook of the page before; '' for the first page
 * @param webhooks size of the page
 */
export async function listBacklogs(db: SystemDb, afterId: string, webhooks: number): Promise<Backlog[]> {
  const rows = await readRows<{ webhook_id: string; waiting: string | number; pending: string | number }>(db)`
    SELECT webhook_id, SUM(pending + retrying) AS waiting, SUM(pending) AS pending FROM webhook_counters
     WHERE webhook_id > ${afterId} GROUP BY webhook_id ORDER BY webhook_id LIMIT ${webhooks}`
  return rows.map(({ webhook_id, waiting, pending }) => ({
    webhookId: webhook_id,
    waiting: Number(waiting),
    pending: Number(pending),
  }))
}

/**
 * Deactivates a webhook because too many deliveries wait for it. It skips webhooks of suspended companies, because the
 * suspension caused their backlog. It also skips a webhook that another transaction locks.
 *
 * @param unlessSinceMs skips a webhook that recovered or was activated within this time, because its backlog may be going out
 * @returns the webhook's company; undefined if the webhook was skipped
 */
export async function deactivateForBacklog(
  db: SystemDb,
  { webhookId, waiting }: Pick<Backlog, 'webhookId' | 'waiting'>,
  unlessSinceMs: number,
): Promise<string | undefined> {
  return inTransaction(db, async (trx) => {
    const now = await databaseNow(trx)
    if (!(await lockIfFree(trx, webhookId))) return undefined
    const webhook = await trx('webhooks as w')
      .leftJoin('webhook_health as h', 'h.webhook_id', 'w.id')
      .where({ 'w.id': webhookId })
      .first<{ company_id: string; recovered_at: Date | null } | undefined>('w.company_id', 'h.recovered_at')
    const sinceMs = now.getTime() - (webhook?.recovered_at?.getTime() ?? -Infinity)
    if (!webhook || sinceMs < unlessSinceMs) return undefined
    const companyId = webhook.company_id
    if (await isSuspended(trx, companyId)) return undefined
    const what = { webhookId, companyId, reason: 'backlog', details: { waiting } } as const
    if (!(await deactivate(trx, { ...what, facts: { total: waiting } }, now))) return undefined
    await changeHealth(trx, webhookId, afterChange)
    return companyId
  })
}
