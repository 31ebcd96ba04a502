import type { Db } from '../../src/db/connection/connection.ts'
import type {
  AttemptRow as StoredAttempt,
  DeliveryRow as StoredDelivery,
} from '../../src/db/delivery/rows.ts'
import { selectRecoveries, toRecovery } from '../../src/db/recovery/rows.ts'
import { isOpen, isTest } from '../../src/domain/delivery/delivery.ts'
import { deliveryKey } from '../record.ts'

type StoredWebhook = { id: string; url: string; is_active: number; deleted_at: Date | null }
type StoredEvent = { id: string; type: string; body: Buffer; deliveries: number; created_at: Date }

/** Everything that the database knows of events and deliveries. Times are epoch milliseconds. */
export type Rows = Awaited<ReturnType<typeof readRows>>
export type DeliveryRow = Rows['deliveries'][number]
/** `status`: what the endpoint answered. */
export type AttemptRow = DeliveryRow['log'][number]
export type RecoveryRow = Rows['recoveries'][number]

/** Reads all rows, of every tenant. */
export async function readRows(db: Db) {
  const [webhookRows, events, deliveryRows, attemptRows, recoveryRows] = await Promise.all([
    db<StoredWebhook>('webhooks').select('id', 'url', 'is_active', 'deleted_at'),
    db<StoredEvent>('events').select('id', 'type', 'body', 'deliveries', 'created_at'),
    db<StoredDelivery>('deliveries').select('*'),
    db<StoredAttempt>('attempts')
      .orderBy(['delivery_id', 'number'])
      .select('delivery_id', 'number', 'response_code', 'error'),
    selectRecoveries(db),
  ])
  const webhooks = webhookRows.map(({ id, url, is_active: isActive, deleted_at: deletedAt }) => ({
    id,
    path: new URL(url).pathname,
    isActive: isActive === 1,
    deletedAtMs: deletedAt?.getTime(),
  }))
  const byId = new Map(webhooks.map((webhook) => [webhook.id, webhook]))
  // Whatever is open for a webhook without a row is lost.
  const webhookOf = (id: string) => byId.get(id) ?? { id, path: '', isActive: false, deletedAtMs: undefined }
  const publishedAt = new Map(events.map(({ id, created_at: at }) => [id, at.getTime()]))
  const attemptsOf = Map.groupBy(attemptRows, ({ delivery_id: id }) => id)
  const deliveries = deliveryRows.map((row) => {
    const log = attemptsOf.get(row.id) ?? []
    return {
      id: row.id,
      eventId: row.event_id,
      status: row.status,
      attempts: row.attempts,
      webhook: webhookOf(row.webhook_id),
      maxAttempts: row.max_attempts,
      /** Why it is closed without success. */
      reason: row.closed_reason,
      isParked: row.parked_at !== null,
      isTest: isTest({ eventId: row.event_id }),
      /** Made by the publish of its event; the others by a resend or by a recovery of missed events. */
      isOriginal: row.created_at.getTime() === publishedAt.get(row.event_id),
      resendOf: row.resend_of,
      createdAtMs: row.created_at.getTime(),
      closedAtMs: row.closed_at?.getTime(),
      log: log.map(({ response_code: status, error }) => ({ status, error })),
      numbers: log.map(({ number }) => number),
    }
  })
  const recoveries = recoveryRows.map(toRecovery).map((recovery) => ({
    id: recovery.id,
    webhook: webhookOf(recovery.webhookId),
    kind: recovery.kind,
    state: recovery.state,
    /** Why it was cancelled. */
    reason: recovery.stoppedReason,
    createdAtMs: recovery.createdAt.getTime(),
    sinceMs: recovery.since.getTime(),
    untilMs: recovery.until.getTime(),
  }))
  return { webhooks, events, deliveries, recoveries }
}

/** Names the event at the webhook, as the receivers' record does. */
export const keyOf = ({ webhook: { path }, eventId }: DeliveryRow): string =>
  deliveryKey({ path, id: eventId })

/** Whether its webhook is there and inactive. */
export const waitsForActivation = ({ webhook }: Pick<DeliveryRow, 'webhook'>): boolean =>
  !webhook.isActive && webhook.deletedAtMs === undefined

/** How a delivery ended, in the words of the account. `held`: it waits until its webhook is active again. */
export function endOf(delivery: DeliveryRow) {
  if (isOpen(delivery)) return delivery.isParked && waitsForActivation(delivery) ? 'held' : 'open'
  if (delivery.status === 'success') return 'delivered'
  if (delivery.reason === 'webhook_deleted') return 'cancelled'
  return delivery.reason === 'test_unanswered' ? 'test without answer' : 'failed for good'
}
