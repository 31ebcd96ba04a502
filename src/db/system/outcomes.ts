import type { Knex } from 'knex'
import type { Attempt, Delivery } from '../../domain/delivery/delivery.js'
import { forgetFormerBodies } from '../delivery/attempts.js'
import { insertAudit } from '../audit.js'
import { SYSTEM } from '../../domain/actor.js'
import { addToCounters, transition, type CounterChange } from '../webhook/counters.js'
import { changingColumns, toAttemptRow, toDelivery, type DeliveryRow } from '../delivery/rows.js'
import { deleteStarts } from './outbox-rows.js'

/** A locked delivery, and its row for writing it back. */
type LockedDelivery = { readonly delivery: Delivery; readonly row: DeliveryRow }

export type LockedDeliveries = {
  readonly locked: ReadonlyMap<string, LockedDelivery>
  /** Ids of existing deliveries that another transaction locks. */
  readonly held: ReadonlySet<string>
  readonly now: Date
}

/**
 * Locks the rows, lowest id first, so that two batches never deadlock. It leaves out a row that another transaction
 * locks: waiting for it would delay the others of the batch.
 */
export async function lockDeliveries(
  trx: Knex.Transaction,
  ids: readonly string[],
): Promise<LockedDeliveries> {
  const rows = await trx<DeliveryRow>('deliveries')
    .whereIn('id', [...ids])
    .orderBy('id')
    .forUpdate()
    .skipLocked()
  const locked = new Map(rows.map((row) => [row.id, { row, delivery: toDelivery(row) }]))
  const missing = ids.filter((id) => !locked.has(id))
  const held =
    missing.length === 0 ? [] : await trx<DeliveryRow>('deliveries').whereIn('id', missing).select('id')
  const clock = await trx.select(trx.raw('NOW(3) AS now')).first<{ now: Date }>()
  return { locked, held: new Set(held.map(({ id }) => id)), now: clock.now }
}

/** A decided outcome: the delivery before and after it, and the attempt that led to it. */
export type DecidedOutcome = {
  readonly before: LockedDelivery
  readonly after: Delivery
  readonly attempt?: Attempt
  /** Set when the endpoint answered 410 Gone: the version of the webhook that the request was made with. */
  readonly goneAtVersion?: number
}

/**
 * Writes decided outcomes: inserts attempts, updates deliveries, deletes their start rows, and adds to the counters
 * last. Each of these is one statement, however many outcomes there are.
 *
 * @returns ids of the deliveries whose outcome deactivated their webhook
 */
export async function writeOutcomes(
  trx: Knex.Transaction,
  outcomes: readonly DecidedOutcome[],
  now: Date,
): Promise<Set<string>> {
  const deactivating = new Set<string>()
  if (outcomes.length === 0) return deactivating
  const attempts = outcomes.flatMap(({ after, attempt }) =>
    attempt ? [toAttemptRow(after.id, attempt)] : [],
  )
  if (attempts.length > 0) await trx('attempts').insert(attempts)
  await forgetFormerBodies(
    trx,
    attempts.map(({ delivery_id: deliveryId, number }) => ({ deliveryId, number })),
  )
  await writeChanges(
    trx,
    outcomes.map(({ before, after }) => ({ row: before.row, after })),
    now,
  )
  await deleteStarts(
    trx,
    outcomes.map(({ after }) => after.id),
  )
  for (const { before, goneAtVersion } of outcomes) {
    if (goneAtVersion === undefined) continue
    if (await deactivateGone(trx, before.row, goneAtVersion, now)) deactivating.add(before.row.id)
  }
  await addToCounters(trx, outcomes.map(toCounterChange))
  return deactivating
}

/** Writes changed deliveries to their rows, which the caller has locked, in one statement. */
export async function writeChanges(
  trx: Knex.Transaction,
  changes: readonly { readonly row: DeliveryRow; readonly after: Delivery }[],
  now: Date,
): Promise<void> {
  const [first] = changes
  if (!first) return
  const changed = changes.map(({ row, after }) => ({ ...row, ...changingColumns(after, now) }))
  const columns = Object.keys(changingColumns(first.after, now)) as (keyof DeliveryRow)[]
  await trx<DeliveryRow>('deliveries').insert(changed).onConflict('id').merge(columns)
}

const toCounterChange = ({ before, after, attempt }: DecidedOutcome): CounterChange => ({
  webhookId: after.webhookId,
  changes: transition(before.delivery.status, after.status),
  ...(attempt && { triggeredAt: attempt.startedAt }),
})

/**
 * A 410 deactivates the webhook, so that its open deliveries park until someone activates it. It leaves a webhook alone
 * that changed since the request. The answer may come from its former URL, or be older than its activation.
 *
 * @returns whether it was active until now
 */
async function deactivateGone(
  trx: Knex.Transaction,
  row: DeliveryRow,
  version: number,
  now: Date,
): Promise<boolean> {
  const deactivated = await trx('webhooks')
    .where({ id: row.webhook_id, is_active: true, version })
    .whereNull('deleted_at')
    .update({ is_active: false, deactivated_reason: 'gone', updated_at: now })
    .increment('version', 1)
  if (deactivated === 0) return false
  await insertAudit(trx, {
    companyId: row.company_id,
    at: now,
    actor: SYSTEM,
    action: 'webhook.deactivate',
    targetId: row.webhook_id,
    details: { reason: 'gone', delivery_id: row.id },
  })
  return true
}
