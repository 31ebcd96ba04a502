import type { Db } from '../../src/db/connection/connection.ts'
import {
  toDelivery,
  type AttemptRow as StoredAttempt,
  type DeliveryRow as StoredDelivery,
} from '../../src/db/delivery/rows.ts'
import { selectRecoveries, toRecovery } from '../../src/db/recovery/recoveries.ts'
import { isOpen, isTest, type Delivery } from '../../src/domain/delivery/delivery.ts'
import type { Recovery, StoppedReason } from '../../src/domain/recovery/recovery.ts'
import { deliveryKey } from '../record.ts'

/** Times are epoch milliseconds. */
export type WebhookRow = {
  readonly id: string
  /** Of its URL. */
  readonly path: string
  readonly isActive: boolean
  readonly deletedAtMs: number | undefined
}

export type EventRow = {
  readonly id: string
  readonly type: string
  readonly body: Buffer
  readonly deliveries: number
}

/** `status`: what the endpoint answered. */
export type AttemptRow = { readonly status: number | null; readonly error: string | null }

export type DeliveryRow = Pick<
  Delivery,
  'id' | 'eventId' | 'status' | 'attempts' | 'maxAttempts' | 'resendOf'
> & {
  readonly webhook: WebhookRow
  /** Why it is closed without success. */
  readonly reason: Delivery['closedReason']
  readonly isParked: boolean
  readonly isTest: boolean
  /** Made by the publish of its event; the others by a resend or by a recovery of missed events. */
  readonly isOriginal: boolean
  readonly createdAtMs: number
  readonly closedAtMs: number | undefined
  /** Its attempts in order. */
  readonly log: readonly AttemptRow[]
  /** Of these attempts. */
  readonly numbers: readonly number[]
}

export type RecoveryRow = Pick<Recovery, 'id' | 'kind' | 'state'> & {
  readonly webhook: WebhookRow
  /** Why it was cancelled. */
  readonly reason: StoppedReason | null
  readonly sinceMs: number
  readonly untilMs: number
  readonly createdAtMs: number
}

export type Rows = Awaited<ReturnType<typeof readRows>>

/** In place of a webhook without a row: whatever is open for it is lost. */
const NO_WEBHOOK = { path: '', isActive: false, deletedAtMs: undefined }

type StoredWebhook = { id: string; url: string; is_active: number; deleted_at: Date | null }

/** Reads everything that the database knows of events and deliveries. */
export async function readRows(db: Db) {
  const [webhookRows, events, deliveryRows, attemptRows, recoveryRows] = await Promise.all([
    db<StoredWebhook>('webhooks').select('id', 'url', 'is_active', 'deleted_at'),
    db<EventRow & { created_at: Date }>('events').select('id', 'type', 'body', 'deliveries', 'created_at'),
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
  const byId = new Map<string, WebhookRow>(webhooks.map((webhook) => [webhook.id, webhook]))
  const webhookOf = (id: string) => byId.get(id) ?? { ...NO_WEBHOOK, id }
  const publishedAt = new Map(events.map(({ id, created_at: at }) => [id, at.getTime()]))
  const attemptsOf = Map.groupBy(attemptRows, ({ delivery_id: id }) => id)
  const deliveries = deliveryRows.map((row): DeliveryRow => {
    const { id, eventId, status, attempts, createdAt, maxAttempts, ...delivery } = toDelivery(row)
    const log = attemptsOf.get(id) ?? []
    return {
      id,
      eventId,
      status,
      attempts,
      webhook: webhookOf(delivery.webhookId),
      maxAttempts,
      reason: delivery.closedReason,
      isParked: delivery.parkedAt !== null,
      isTest: isTest(delivery),
      isOriginal: createdAt.getTime() === publishedAt.get(eventId),
      resendOf: delivery.resendOf,
      createdAtMs: createdAt.getTime(),
      closedAtMs: row.closed_at?.getTime(),
      log: log.map(({ response_code: code, error }) => ({ status: code, error })),
      numbers: log.map(({ number }) => number),
    }
  })
  const recoveries = recoveryRows
    .map(toRecovery)
    .map(({ id, webhookId, kind, state, stoppedReason: reason, ...times }): RecoveryRow => ({
      id,
      webhook: webhookOf(webhookId),
      kind,
      state,
      reason,
      createdAtMs: times.createdAt.getTime(),
      sinceMs: times.since.getTime(),
      untilMs: times.until.getTime(),
    }))
  return { webhooks, events, deliveries, recoveries }
}

/** Names the event at the webhook, as the receivers' record does. */
export const keyOf = ({ webhook: { path }, eventId }: DeliveryRow): string =>
  deliveryKey({ path, id: eventId })

/** Whether its webhook is there and inactive. */
export const waitsForActivation = ({ webhook }: { readonly webhook: WebhookRow }): boolean =>
  !webhook.isActive && webhook.deletedAtMs === undefined

/** How a delivery ended, in the words of the account. `held`: it waits until its webhook is active again. */
export type DeliveryEnd =
  | 'delivered'
  | 'failed for good'
  | 'held'
  | 'cancelled'
  | 'test without answer'
  | 'open'

export function endOf(delivery: DeliveryRow): DeliveryEnd {
  if (isOpen(delivery)) return delivery.isParked && waitsForActivation(delivery) ? 'held' : 'open'
  if (delivery.status === 'success') return 'delivered'
  if (delivery.reason === 'webhook_deleted') return 'cancelled'
  return delivery.reason === 'test_unanswered' ? 'test without answer' : 'failed for good'
}
