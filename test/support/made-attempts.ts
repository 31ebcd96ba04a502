import type { Db } from '../../src/db/connection/connection.ts'
import { insertDeliveries, type NewDelivery } from '../../src/db/delivery/new-deliveries.ts'
import type { AttemptOutcome, MadeAttempt } from '../../src/domain/delivery/outcome.ts'
import { newId, newTestEventId } from '../../src/domain/ids.ts'
import type { Tenant } from '../../src/domain/tenant.ts'
import { madeAttempt as madeByWorkflow } from './deliveries.ts'

/** An endpoint's answer with the status. */
export const answered = (status: number, fields: object = {}) => {
  const answer = { kind: 'answered' as const, status, body: 'x', retryAfter: undefined, durationMs: 5 }
  return { ...answer, ...fields }
}

/** A delivery's first attempt as a worker made it just now, with the fields that a test sets. */
export const madeAttempt = (
  deliveryId: string,
  webhookId: string,
  outcome: AttemptOutcome,
  fields: Partial<MadeAttempt> = {},
): MadeAttempt =>
  madeByWorkflow({ deliveryId, webhookId, outcome, startedAt: new Date(), scheduleMs: [60_000], ...fields })

/** Inserts a delivery with a first attempt for each status, and returns the attempts. @param fields of the answers */
export async function attemptNew(
  db: Db,
  tenant: Tenant,
  webhookId: string,
  statuses: readonly number[],
  { isTest = false, maxAttempts = 3, ...fields }: { isTest?: boolean; maxAttempts?: number } & object = {},
): Promise<MadeAttempt[]> {
  const ids = statuses.map(() => newId('delivery'))
  await insertNewDeliveries(db, tenant, webhookId, { ids, isTest, maxAttempts })
  return ids.map((id, index) => madeAttempt(id, webhookId, answered(statuses[index]!, fields)))
}

/** Inserts deliveries without attempts, and returns their ids. */
export async function insertNewDeliveries(
  db: Db,
  tenant: Tenant,
  webhookId: string,
  {
    ids = [newId('delivery')],
    isTest = false,
    ...fields
  }: Partial<NewDelivery> & { ids?: readonly string[]; isTest?: boolean } = {},
): Promise<string[]> {
  const eventId = () => (isTest ? newTestEventId() : newId('event'))
  const common = { webhookId, eventType: 'contact.created', maxAttempts: 3, createdAt: new Date() }
  const made = ids.map((id) => ({ ...common, eventId: eventId(), isInTemporal: true, ...fields, id }))
  await insertDeliveries(db, tenant, made)
  return [...ids]
}
