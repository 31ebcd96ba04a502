import type { Db } from '../../src/db/connection/connection.ts'
import { sumCounters, totalOf } from '../../src/db/webhook/counters.ts'
import { DELIVERY_STATUSES } from '../../src/domain/delivery/delivery.ts'
import { isOpenRecovery } from '../../src/domain/recovery/recovery.ts'
import { killThatLost } from '../kills.ts'
import { deliveryKey, isGood } from '../record.ts'
import type { Account, Known } from './account.ts'
import { answeredLate } from './requests.ts'
import { endOf, keyOf, waitsForActivation, type DeliveryRow } from './rows.ts'

/**
 * Checks how each delivery ended, and compares it with what the receivers answered.
 *
 * @returns the end of each
 */
export function compareDeliveries(account: Account, { rows, record, ledger, kills }: Known): string[] {
  const seenOf = Map.groupBy(record.seen, deliveryKey)
  const delivered = Map.groupBy(
    rows.deliveries.filter(({ status }) => status === 'success'),
    keyOf,
  )
  for (const delivery of rows.deliveries) {
    const { id } = delivery
    const end = endOf(delivery)
    checkRow(account, delivery)
    const seen = seenOf.get(keyOf(delivery)) ?? []
    const answered = seen.filter(isGood)
    if (end === 'delivered' && answered.length === 0)
      account.disagree(`delivery ${id} is a success, and no request of it was answered 2xx`, delivery)
    // The event may have another delivery for the webhook, by a resend. What that one had is not this one's.
    const recorded = delivered.get(keyOf(delivery))?.length ?? 0
    if (end === 'failed for good' && answered.length > recorded + answeredLate({ log: delivery.log, seen })) {
      const what = `delivery ${id} failed for good although a request of it was answered 2xx`
      if (answered.every(({ atMs }) => killThatLost(kills, atMs))) account.explain(what)
      else account.disagree(what, delivery)
    }
  }
  const byId = new Map(rows.deliveries.map((delivery) => [delivery.id, delivery]))
  for (const { deliveryId, isSuccess } of ledger.tests) {
    const delivery = byId.get(deliveryId)
    // One that failed may have succeeded since: manual retries take test events too.
    if (!delivery || (isSuccess && delivery.status !== 'success'))
      account.disagree(`test ${deliveryId} was answered with success ${isSuccess}`, delivery ?? 'no row')
  }
  return rows.deliveries.map(endOf)
}

function checkRow(account: Account, delivery: DeliveryRow) {
  const end = endOf(delivery)
  const { id, attempts, maxAttempts, numbers, webhook, isTest } = delivery
  if (end === 'open') account.lose(`delivery ${id} is still open`, delivery)
  if (attempts > maxAttempts) account.disagree(`delivery ${id} has more attempts than it may`, delivery)
  if (numbers.length !== attempts || numbers.some((number, index) => number !== index + 1))
    account.disagree(`delivery ${id} has other attempts in its log than it counts`, delivery)
  if (end === 'failed for good' && (attempts === 0 || attempts !== maxAttempts))
    account.lose(`delivery ${id} failed with attempts left`, delivery)
  if (end === 'cancelled' && webhook.deletedAtMs === undefined)
    account.lose(`delivery ${id} was cancelled, and its webhook is not deleted`, delivery)
  if (end === 'test without answer' && !isTest)
    account.lose(`delivery ${id} ended as a test event and is none`, delivery)
}

/** The counters of each webhook equal its rows. */
export async function compareCounters(account: Account, { rows }: Known, db: Db): Promise<void> {
  const sums = await sumCounters(db, { sql: 'webhook_counters c', values: [] })
  const rowsOf = Map.groupBy(rows.deliveries, ({ webhook }) => webhook.id)
  for (const { id } of rows.webhooks) {
    for (const state of DELIVERY_STATUSES) {
      const counted = totalOf(sums.get(id), state)
      const there = (rowsOf.get(id) ?? []).filter(({ status }) => status === state).length
      if (counted !== there)
        account.disagree(`webhook ${id} counts ${counted} ${state} deliveries and has ${there}`)
    }
  }
}

/** The times of a closing and of a recovery come from different clocks of this machine. */
const MARGIN_MS = 1_000

/**
 * Checks the recoveries and resends that the api accepted: each has its row. A recovery has ended, unless its webhook is
 * inactive, and one that is done has left nothing that had failed in its window before it began.
 */
export function compareRecoveries(account: Account, { rows, ledger }: Known) {
  const ids = new Set(rows.recoveries.map(({ id }) => id))
  for (const id of ledger.recoveries)
    if (!ids.has(id)) account.lose(`recovery ${id} was accepted and has no row`)
  for (const recovery of rows.recoveries) {
    const { id, webhook, state, kind, sinceMs, untilMs, createdAtMs } = recovery
    if (isOpenRecovery(recovery) && !waitsForActivation(recovery))
      account.lose(`recovery ${id} still runs`, recovery)
    if (recovery.reason === 'webhook_deleted' && webhook.deletedAtMs === undefined)
      account.disagree(`recovery ${id} was cancelled, and its webhook is not deleted`, recovery)
    if (state !== 'done' || kind !== 'failed') continue
    const isLeft = (delivery: DeliveryRow) =>
      delivery.webhook.id === webhook.id &&
      !delivery.isTest &&
      endOf(delivery) === 'failed for good' &&
      delivery.createdAtMs >= sinceMs &&
      delivery.createdAtMs < untilMs &&
      (delivery.closedAtMs ?? Infinity) < createdAtMs - MARGIN_MS
    for (const delivery of rows.deliveries.filter(isLeft))
      account.lose(`recovery ${id} is done and has left delivery ${delivery.id}`, delivery)
  }
  const resends = new Map(rows.deliveries.map(({ id, resendOf }) => [id, resendOf]))
  for (const { id, of } of ledger.resends)
    if (resends.get(id) !== of) account.lose(`resend ${id} of ${of} was accepted and has no row`)
}
