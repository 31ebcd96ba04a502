import { afterChange } from '../../domain/webhook/health.ts'
import { isSuspended } from '../companies.ts'
import { inTransaction, type SystemDb } from '../connection/connection.ts'
import { readRows } from '../connection/statements.ts'
import { enqueueCommands } from '../outbox/outbox.ts'
import { PAGE_QUEUE } from '../outbox/queues.ts'
import { changeHealth } from './health-rows.ts'

/** Where a walk over the webhooks of a company continues: after this id. */
export type WebhookPosition = string

/**
 * Does for a page of a company's active webhooks what an activation does: it queues their parked deliveries and resets the
 * health of their endpoints. Inactive webhooks wait for their own activation.
 *
 * @param after the last webhook of the page before; undefined for the first page
 * @returns where the next page begins; undefined if there is no next page, or the company is suspended again
 */
export async function resumeWebhooks(
  db: SystemDb,
  companyId: string,
  { after, limit }: { readonly after: WebhookPosition | undefined; readonly limit: number },
): Promise<WebhookPosition | undefined> {
  if (await isSuspended(db, companyId)) return undefined
  const ids = await listActiveIds(db, companyId, after ?? '', limit)
  for (const id of ids) await resumeWebhook(db, companyId, id)
  return ids.length < limit ? undefined : ids.at(-1)
}

/** Reads along the index webhooks_list, in which webhooks that are not deleted stand together. */
async function listActiveIds(
  db: SystemDb,
  companyId: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const found = await readRows<{ id: string }>(db)`
    SELECT id FROM webhooks FORCE INDEX (webhooks_list)
     WHERE company_id = ${companyId} AND environment IN ('live', 'test') AND deleted_at IS NULL
       AND is_active = 1 AND id > ${after}
     ORDER BY id LIMIT ${limit}`
  return found.map(({ id }) => id)
}

async function resumeWebhook(db: SystemDb, companyId: string, id: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    const active = await readRows(trx)`
      SELECT id FROM webhooks WHERE id = ${id} AND is_active = 1 AND deleted_at IS NULL FOR UPDATE`
    if (active.length === 0) return
    await changeHealth(trx, id, afterChange)
    await enqueueCommands(trx, { companyId }, [{ kind: 'resume-webhook', targetId: id, queue: PAGE_QUEUE }])
  })
}
