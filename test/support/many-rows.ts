import type { Db } from '../../src/db/connection/connection.js'
import type { DeliveryRow } from '../../src/db/delivery/rows.js'
import { newId } from '../../src/domain/ids.js'
import type { Tenant } from '../../src/domain/tenant.js'

type Options = {
  readonly tenant: Tenant
  readonly webhookId: string
  /** Columns that differ from a delivery that failed once and is due again in an hour. */
  readonly columns?: Partial<DeliveryRow>
}

/** Inserts open deliveries that no workflow and no row of the outbox knows of. Gives their ids. */
export async function insertOpenDeliveries(
  db: Db,
  count: number,
  { tenant, webhookId, columns }: Options,
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('delivery'))
  const inAnHour = new Date(Date.now() + 3_600_000)
  for (let from = 0; from < count; from += 1_000) {
    const rows = ids.slice(from, from + 1_000).map((id) => ({
      id,
      company_id: tenant.companyId,
      environment: tenant.environment,
      webhook_id: webhookId,
      event_id: `evt_${id}`,
      event_type: 'contact.created',
      status: 'retrying' as const,
      max_attempts: 5,
      created_at: new Date(),
      next_retry_at: inAnHour,
      wake_at: inAnHour,
      ...columns,
    }))
    await db<DeliveryRow>('deliveries').insert(rows)
  }
  return ids
}
