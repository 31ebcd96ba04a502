import type { Db } from '../../src/db/connection/connection.ts'
import { toDelivery, type DeliveryRow as StoredDelivery } from '../../src/db/delivery/rows.ts'
import { selectRecoveries, toRecovery } from '../../src/db/recovery/rows.ts'
import { isOpen } from '../../src/domain/delivery/delivery.ts'
import { deliveryKey } from '../endpoints.ts'

type StoredWebhook = { id: string; url: string; isActive: number; deletedAt: Date | null }
type StoredEvent = { id: string; type: string; body: Buffer; deliveries: number; createdAt: Date }
/** `status`: what the endpoint answered. */
export type AttemptRow = { delivery_id: string; number: number; status: number | null; error: string | null }

/** Everything that the database knows of events and deliveries. Times are epoch milliseconds. */
export type Rows = Awaited<ReturnType<typeof readRows>>
export type DeliveryRow = Rows['deliveries'][number]
export type RecoveryRow = Rows['recoveries'][number]

/** Reads all rows, of every tenant. */
export async function readRows(db: Db) {
  const [webhookRows, events, deliveryRows, attempts, recoveryRows, commands] = await Promise.all([
    db('webhooks').select<StoredWebhook[]>('id', 'url', 'is_active as isActive', 'deleted_at as deletedAt'),
    db('events').select<StoredEvent[]>('id', 'type', 'body', 'deliveries', 'created_at as createdAt'),
    db<StoredDelivery>('deliveries').select('*'),
    db('attempts')
      .orderBy(['delivery_id', 'number'])
      .select<AttemptRow[]>('delivery_id', 'number', 'response_code as status', 'error'),
    selectRecoveries(db),
    db('outbox').select<{ kind: string; subject_id: string }[]>('*'),
  ])
  const webhooks = webhookRows.map((row) => ({ ...row, path: new URL(row.url).pathname }))
  const byId = new Map(webhooks.map((webhook) => [webhook.id, webhook]))
  // If a webhook has no row, its open deliveries count as lost.
  const webhookOf = (id: string) => byId.get(id) ?? { id, path: '', isActive: 0, deletedAt: null }
  const publishedAt = new Map(events.map(({ id, createdAt }) => [id, createdAt.getTime()]))
  const attemptsOf = Map.groupBy(attempts, ({ delivery_id: id }) => id)
  const deliveries = deliveryRows.map((row) => ({
    ...toDelivery(row),
    webhook: webhookOf(row.webhook_id),
    /** Made by the publish of its event; the others by a resend or by a recovery of missed events. */
    isOriginal: row.created_at.getTime() === publishedAt.get(row.event_id),
    closedAt: row.closed_at,
    log: attemptsOf.get(row.id) ?? [],
  }))
  const recoveries = recoveryRows.map((row) => ({ ...toRecovery(row), webhook: webhookOf(row.webhook_id) }))
  const parked = new Set(deliveries.filter(({ parkedAt }) => parkedAt).map(({ id }) => id))
  return {
    webhooks,
    events,
    deliveries,
    recoveries,
    /** The outbox without the rows of parked deliveries. */
    commands: commands.filter(({ subject_id: id }) => !parked.has(id)),
  }
}

/** Names the event at the webhook, as the receivers' record does. */
export const keyOf = ({ webhook: { path }, eventId }: DeliveryRow): string =>
  deliveryKey({ path, id: eventId })

/** Whether its webhook is there and inactive. */
export const waitsForActivation = ({ webhook }: Pick<DeliveryRow, 'webhook'>): boolean =>
  !webhook.isActive && webhook.deletedAt === null

/** How a delivery ended, in the words of the account. `held`: it waits until its webhook is active again. */
export function endOf(delivery: DeliveryRow) {
  if (isOpen(delivery)) return delivery.parkedAt && waitsForActivation(delivery) ? 'held' : 'open'
  if (delivery.status === 'success') return 'delivered'
  if (delivery.closedReason === 'webhook_deleted') return 'cancelled'
  return delivery.closedReason === 'test_unanswered' ? 'test without answer' : 'failed for good'
}
