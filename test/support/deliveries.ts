import type { Db } from '../../src/db/connection/connection.ts'
import { toDelivery, type DeliveryRow } from '../../src/db/delivery/rows.ts'
import type { Delivery } from '../../src/domain/delivery/delivery.ts'
import type { MadeAttempt } from '../../src/domain/delivery/outcome.ts'

/** A pending delivery just after its creation, with the fields that a test sets. */
export const delivery = (fields: Partial<Delivery> = {}): Delivery => ({
  id: 'del_1',
  webhookId: 'whk_1',
  eventId: 'evt_1',
  eventType: 'contact.created',
  status: 'pending',
  attempts: 0,
  maxAttempts: 3,
  attemptsBase: 0,
  retrySeq: 0,
  retryServed: 0,
  retryRequestedAt: null,
  responseCode: null,
  responseBody: null,
  requestDurationMs: null,
  createdAt: new Date('2026-01-05T12:00:00.000Z'),
  deliveredAt: null,
  nextRetryAt: null,
  parkedAt: null,
  closedReason: null,
  isInTemporal: false,
  resendOf: null,
  recoveryBase: null,
  ...fields,
})

/** The first attempt of that delivery, made by its workflow, with the status of the endpoint's answer. */
export const madeAttempt = (fields: Partial<MadeAttempt> = {}, status = 500): MadeAttempt => ({
  deliveryId: 'del_1',
  webhookId: 'whk_1',
  attemptsAtGate: 0,
  retrySeqAtGate: 0,
  webhookVersionAtGate: 1,
  trigger: 'scheduled',
  startedAt: new Date('2026-01-05T12:00:00.000Z'),
  scheduleMs: [1_000, 2_000],
  outcome: { kind: 'answered', status, body: 'text', retryAfter: undefined, durationMs: 12 },
  ...fields,
})

/** The row of a delivery. */
export async function readDelivery(db: Db, id: string): Promise<Delivery> {
  return toDelivery((await db<DeliveryRow>('deliveries').where({ id }).first())!)
}
