import { addToCounters, readCounters } from '../../src/db/webhook/counters.ts'
import type { SystemDb } from '../../src/db/connection/connection.ts'
import type { DeliveryRow } from '../../src/db/delivery/rows.ts'
import { enqueueCommands, type OutboxKind } from '../../src/db/outbox/outbox.ts'
import { newId } from '../../src/domain/ids.ts'
import type { Tenant } from '../../src/domain/tenant.ts'
import { useDatabase } from './database.ts'
import { insertOpenDeliveries } from './many-rows.ts'
import { insertWebhooks } from './webhook-rows.ts'

/** What a delivery looks like after two failures, with a retry that was asked for and not served yet. */
const USED: Partial<DeliveryRow> = {
  attempts: 2,
  attempts_base: 1,
  retry_seq: 3,
  retry_served: 1,
  retry_requested_at: new Date(0),
  response_code: 500,
  response_body: 'a body',
  request_duration_ms: 5,
}

/** A database of the file's own, and in it a company with one active webhook for each test. */
export function useDeliveries() {
  const database = useDatabase()
  let tenant: Tenant
  let webhookId: string
  beforeEach(async () => {
    tenant = { companyId: newId('company'), environment: 'live' }
    webhookId = (await insertWebhooks(database.db, tenant, 1, ['contact.created']))[0]!
  })
  const setWebhook = (columns: object) => database.db('webhooks').where({ id: webhookId }).update(columns)
  return {
    db: (): SystemDb => database.db,
    tenant: () => tenant,
    webhookId: () => webhookId,
    setWebhook,
    deactivate: () => setWebhook({ is_active: false }),
    /** Open deliveries of the webhook that were attempted twice, and that its counters know. */
    insert: async (count: number, columns: Partial<DeliveryRow> = {}): Promise<string[]> => {
      const all = { ...USED, ...columns }
      const ids = await insertOpenDeliveries(database.db, count, { tenant, webhookId, columns: all })
      await addToCounters(database.db, [{ webhookId, changes: { [columns.status ?? 'retrying']: count } }])
      return ids
    },
    /** Queues commands about a delivery. */
    enqueue: (id: string, ...kinds: OutboxKind[]) =>
      enqueueCommands(
        database.db,
        tenant,
        kinds.map((kind) => ({ kind, targetId: id, queue: webhookId })),
      ),
    /** The kinds of the commands that wait for the company. */
    queued: (): Promise<string[]> =>
      database.db('outbox').where({ company_id: tenant.companyId }).orderBy('id').pluck('kind'),
    counters: async () => (await readCounters(database.db, tenant, [webhookId])).get(webhookId),
  }
}
