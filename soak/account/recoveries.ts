import { isOpenRecovery } from '../../src/domain/recovery/recovery.ts'
import type { Account, Known } from './account.ts'
import { endOf, waitsForActivation, type DeliveryRow } from './rows.ts'

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
