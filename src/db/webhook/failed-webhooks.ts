import type { Environment, Tenant } from '../../domain/tenant.ts'
import type { SystemDb } from '../connection/connection.ts'
import { readRows } from '../connection/statements.ts'

/** A webhook and its tenant. */
export type OwnedWebhook = { readonly tenant: Tenant; readonly webhookId: string }

type Search = {
  readonly since: Date
  readonly companyId: string | undefined
  readonly afterId: string
  readonly limit: number
}

/**
 * Looks through a page of active webhooks, in the order of their ids, for those with deliveries that failed since then.
 *
 * @param search.afterId the last webhook of the page before; '' begins
 * @param search.limit webhooks to look at
 * @returns the webhooks found, and where the next page begins; undefined at the end
 */
export async function listFailedWebhooks(
  db: SystemDb,
  { since, companyId, afterId, limit }: Search,
): Promise<{ found: OwnedWebhook[]; nextAfterId: string | undefined }> {
  const ofCompany = companyId === undefined ? '' : 'AND company_id = ?'
  const rows = await readRows<Row>(db, {
    sql: `SELECT w.*, EXISTS (SELECT 1 FROM deliveries FORCE INDEX (deliveries_status)
                   WHERE webhook_id = w.id AND status = 'failed' AND created_at >= ?) AS has_failed
            FROM (SELECT id, company_id, environment FROM webhooks FORCE INDEX (PRIMARY)
                   WHERE id > ? AND is_active = 1 AND deleted_at IS NULL ${ofCompany} ORDER BY id LIMIT ?) w
           ORDER BY w.id`,
    values: [since, afterId, ...(companyId === undefined ? [] : [companyId]), limit],
  })
  const found = rows
    .filter(({ has_failed }) => has_failed === 1)
    .map(({ id, company_id: companyIdOf, environment }) => ({
      tenant: { companyId: companyIdOf, environment },
      webhookId: id,
    }))
  return { found, nextAfterId: rows.length < limit ? undefined : rows.at(-1)?.id }
}

type Row = { id: string; company_id: string; environment: Environment; has_failed: number }
