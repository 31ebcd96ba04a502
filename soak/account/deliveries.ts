import { isTest } from '../../src/domain/delivery/delivery.ts'
import type { Account, Known } from './account.ts'
import { endOf, findDue, type DeliveryRow } from './rows.ts'

/** Checks how each delivery ended, and the test events that the api answered. */
export function compareDeliveries(account: Account, { rows, ledger }: Known) {
  for (const delivery of rows.deliveries) checkRow(account, delivery)
  const byId = new Map(rows.deliveries.map((delivery) => [delivery.id, delivery]))
  for (const { deliveryId, isSuccess } of ledger.tests) {
    const delivery = byId.get(deliveryId)
    // A test that failed may have succeeded since: manual retries take test events too.
    if (!delivery || (isSuccess && delivery.status !== 'success'))
      account.disagree(`test ${deliveryId} was answered with success ${isSuccess}`, delivery ?? 'no row')
  }
}

function checkRow(account: Account, delivery: DeliveryRow) {
  const end = endOf(delivery)
  const { id, attempts, maxAttempts, log, webhook } = delivery
  if (attempts > maxAttempts) account.disagree(`delivery ${id} has more attempts than it may`, delivery)
  if (log.length !== attempts || log.some(({ number }, index) => number !== index + 1))
    account.disagree(`delivery ${id} has other attempts in its log than it counts`, delivery)
  if (end === 'failed for good' && (attempts === 0 || attempts !== maxAttempts))
    account.lose(`delivery ${id} failed with attempts left`, delivery)
  if (end === 'cancelled' && webhook.deletedAt === null)
    account.lose(`delivery ${id} was cancelled, and its webhook is not deleted`, delivery)
  if (end === 'test without answer' && !isTest(delivery))
    account.lose(`delivery ${id} ended as a test event and is none`, delivery)
}

/** Reports what should have come to an end and has not. */
export function compareDue(account: Account, { rows }: Known) {
  const { deliveries, recoveries, commands } = findDue(rows)
  for (const delivery of deliveries) account.lose(`delivery ${delivery.id} is still open`, delivery)
  for (const recovery of recoveries) account.lose(`recovery ${recovery.id} still runs`, recovery)
  for (const command of commands)
    account.disagree(`the outbox still has a row ${command.kind} of ${command.subject_id}`, command)
}

/** The times at which a delivery closes and a recovery begins come from different clocks of this machine. */
const MARGIN_MS = 1_000

/**
 * Checks the recoveries and resends that the api accepted: each has its row. A recovery that is done has left no delivery
 * of its window that had failed before it began.
 */
export function compareRecoveries(account: Account, { rows, ledger }: Known) {
  const ids = new Set(rows.recoveries.map(({ id }) => id))
  for (const id of ledger.recoveries)
    if (!ids.has(id)) account.lose(`recovery ${id} was accepted and has no row`)
  for (const recovery of rows.recoveries) {
    const { id, webhook, state, kind, since, until, createdAt } = recovery
    if (recovery.stoppedReason === 'webhook_deleted' && webhook.deletedAt === null)
      account.disagree(`recovery ${id} was cancelled, and its webhook is not deleted`, recovery)
    if (state !== 'done' || kind !== 'failed') continue
    const isLeft = (delivery: DeliveryRow) =>
      delivery.webhook.id === webhook.id &&
      !isTest(delivery) &&
      endOf(delivery) === 'failed for good' &&
      delivery.createdAt >= since &&
      delivery.createdAt < until &&
      Number(delivery.closedAt ?? Infinity) < Number(createdAt) - MARGIN_MS
    for (const delivery of rows.deliveries.filter(isLeft))
      account.lose(`recovery ${id} is done and has left delivery ${delivery.id}`, delivery)
  }
  const resends = new Map(rows.deliveries.map(({ id, resendOf }) => [id, resendOf]))
  for (const { id, of } of ledger.resends)
    if (resends.get(id) !== of) account.lose(`resend ${id} of ${of} was accepted and has no row`)
}
