import { addToCounters, readCounters } from '../../src/db/webhook/counters.ts'
import type { DeliveryRow } from '../../src/db/delivery/rows.ts'
import { enqueueCommands, type OutboxKind } from '../../src/db/outbox/outbox.ts'
import { useOperations } from './use-operations.ts'
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
  const its = useOperations()
  const { tenant } = its
  let webhookId: string
  beforeEach(async () => {
    webhookId = (await insertWebhooks(its.db, tenant(), 1, ['contact.created']))[0]!
  })
  const setWebhook = (columns: object) => its.set('webhooks', { id: webhookId }, columns)
  return {
    db: () => its.db,
    tenant,
    webhookId: () => webhookId,
    setWebhook,
    deactivate: () => setWebhook({ is_active: false }),
    /** Open deliveries of the webhook that were attempted twice, and that its counters know. */
    insert: async (count: number, columns: Partial<DeliveryRow> = {}): Promise<string[]> => {
      await addToCounters(its.db, [{ webhookId, changes: { [columns.status ?? 'retrying']: count } }])
      return its.insertOpen(webhookId, { ...USED, ...columns }, count)
    },
    /** Queues commands about a delivery. */
    enqueue: (targetId: string, ...kinds: OutboxKind[]) =>
      enqueueCommands(
        its.db,
        tenant(),
        kinds.map((kind) => ({ kind, targetId, queue: webhookId })),
      ),
    queued: its.queued,
    counters: async () => (await readCounters(its.db, tenant(), [webhookId])).get(webhookId),
  }
}
