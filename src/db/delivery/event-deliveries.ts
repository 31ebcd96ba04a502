import type { Tenant } from '../../domain/tenant.js'
import type { Db } from '../connection/connection.js'
import { ofTenant } from '../tenant.js'

/** Ids of the deliveries of an event to these webhooks of the tenant. */
export async function listEventDeliveryIds(
  db: Db,
  tenant: Tenant,
  webhookIds: readonly string[],
  eventId: string,
): Promise<string[]> {
  return db('deliveries')
    .where({ ...ofTenant(tenant), event_id: eventId })
    .whereIn('webhook_id', [...webhookIds])
    .pluck<string[]>('id')
}
