import { isOpen, isTest } from '../../src/domain/delivery/delivery.ts'
import { isOpenRecovery } from '../../src/domain/recovery/recovery.ts'
import type { Finding, Known } from './account.ts'
import { endOf, waitsForActivation, type DeliveryRow } from './rows.ts'

/** Checks how each delivery ended, and the test events that the api answered. */
export function* checkDeliveries({ rows, ledger }: Known): Generator<Finding> {
  for (const delivery of rows.deliveries) {
    const { id, attempts, maxAttempts, log, webhook } = delivery
    const end = endOf(delivery)
    if (attempts > maxAttempts)
      yield ['disagreements', `delivery ${id} has more attempts than it may`, delivery]
    if (log.length !== attempts || log.some(({ number }, index) => number !== index + 1))
      yield ['disagreements', `delivery ${id} has other attempts in its log than it counts`, delivery]
    if (end === 'failed for good' && (attempts === 0 || attempts !== maxAttempts))
      yield ['lost', `delivery ${id} failed with attempts left`, delivery]
    if (end === 'cancelled' && webhook.deletedAt === null)
      yield ['lost', `delivery ${id} was cancelled, and its webhook is not deleted`, delivery]
    if (end === 'test without answer' && !isTest(delivery))
      yield ['lost', `delivery ${id} ended as a test event and is none`, delivery]
  }
  const byId = new Map(rows.deliveries.map((delivery) => [delivery.id, delivery]))
  for (const { deliveryId, isSuccess } of ledger.tests) {
    const delivery = byId.get(deliveryId)
    // A test that failed may have succeeded since: manual retries take test events too.
    const says = `test ${deliveryId} was answered with success ${isSuccess}`
    if (!delivery || (isSuccess && delivery.status !== 'success'))
      yield ['disagreements', says, delivery ?? 'no row']
  }
}

/** Reports what should have come to an end and has not: all that does not wait for the activation of a webhook. */
export function* checkDue({ rows }: Pick<Known, 'rows'>): Generator<Finding> {
  for (const row of rows.deliveries)
    if (endOf(row) === 'open') yield ['lost', `delivery ${row.id} is still open`, row]
  for (const row of rows.recoveries)
    if (isOpenRecovery(row) && !waitsForActivation(row)) yield ['lost', `recovery ${row.id} still runs`, row]
  for (const command of rows.commands)
    yield ['disagreements', `the outbox still has a row ${command.kind} of ${command.subject_id}`, command]
}

/** The times at which a delivery closes and a recovery begins come from different clocks of this machine. */
const MARGIN_MS = 1_000

/**
 * Checks the recoveries and resends that the api accepted: each has its row. A recovery that is done has left no delivery
 * of its window that had failed before it began.
 */
export function* checkRecoveries({ rows, ledger }: Known): Generator<Finding> {
  const ids = new Set(rows.recoveries.map(({ id }) => id))
  for (const id of ledger.recoveries)
    if (!ids.has(id)) yield ['lost', `recovery ${id} was accepted and has no row`]
  for (const recovery of rows.recoveries) {
    const { id, webhook, state, kind, since, until, createdAt } = recovery
    if (recovery.stoppedReason === 'webhook_deleted' && webhook.deletedAt === null)
      yield ['disagreements', `recovery ${id} was cancelled, and its webhook is not deleted`, recovery]
    if (state !== 'done' || kind !== 'failed') continue
    const isLeft = (delivery: DeliveryRow) =>
      delivery.webhook.id === webhook.id &&
      !isTest(delivery) &&
      endOf(delivery) === 'failed for good' &&
      delivery.createdAt >= since &&
      delivery.createdAt < until &&
      Number(delivery.closedAt ?? Infinity) < Number(createdAt) - MARGIN_MS
    for (const delivery of rows.deliveries.filter(isLeft))
      yield ['lost', `recovery ${id} is done and has left delivery ${delivery.id}`, delivery]
  }
  const resends = new Map(rows.deliveries.map(({ id, resendOf }) => [id, resendOf]))
  for (const { id, of } of ledger.resends)
    if (resends.get(id) !== of) yield ['lost', `resend ${id} of ${of} was accepted and has no row`]
}

/** Compares workflows with deliveries and recoveries: an open one has a running workflow or is parked, a closed one has none. */
export function* checkWorkflows({ rows, running }: Pick<Known, 'rows' | 'running'>): Generator<Finding> {
  const open = [
    ...rows.deliveries.filter(isOpen),
    ...rows.recoveries.filter(({ state }) => state === 'running'),
  ]
  const byTarget = new Map(
    running.map((workflow) => [workflow.id.replace(/^(test|recovery)\//, ''), workflow]),
  )
  for (const row of open)
    if (!byTarget.delete(row.id) && !('parkedAt' in row && row.parkedAt))
      yield ['lost', `${row.id} is open, not parked, and has no running workflow`, row]
  for (const [target, { id, type }] of byTarget) {
    const delivery = rows.deliveries.find((row) => row.id === target)
    yield ['disagreements', `the workflow ${id} (${type}) still runs`, delivery ?? 'no row']
  }
}
