import {
  FAILURES_THAT_STOP,
  failuresInRow,
  PROBES_THAT_STOP,
  type StoppedReason,
} from '../../domain/recovery/recovery.ts'
import { databaseNow } from '../clock.ts'
import { isSuspended } from '../companies.ts'
import { inTransaction, type SystemDb, type Transaction } from '../connection/connection.ts'
import { endRecovery, giveTurns, type RecoveryEnd } from './turns.ts'
import { cursorOf, listUnderWay, type RecoveryRow, type RecoveryCursor } from './rows.ts'

type Taking = { readonly room: number; readonly maxRetries: number; readonly now: Date }

/**
 * Queues a page and moves the cursor, in a transaction that has locked the page's webhook and recovery.
 *
 * @returns whether the cursor has passed the whole page, and how many deliveries were queued
 */
export type Take = (
  trx: SystemDb,
  row: RecoveryRow,
  taking: Taking,
) => Promise<{ readonly isWhole: boolean; readonly queued: number }>

/** Moves the cursor, and stores the deliveries that were queued on the way. */
export async function noteTaken(
  trx: SystemDb,
  recoveryId: string,
  cursor: NonNullable<RecoveryCursor>,
  deliveries: readonly { readonly id: string; readonly attempts: number }[],
): Promise<void> {
  const { length } = deliveries
  if (length > 0) {
    await trx('recovery_deliveries').insert(
      deliveries.map(({ id, attempts }) => ({
        recovery_id: recoveryId,
        delivery_id: id,
        attempts_before: attempts,
      })),
    )
  }
  await trx('recoveries')
    .where({ id: recoveryId })
    .update({ cursor_at: cursor.at, cursor_id: cursor.id, queued: trx.raw('queued + ?', [length]) })
}

/** A page that was read and is to be queued. */
type RecoveryPage = {
  readonly recoveryId: string
  readonly webhookId: string
  /** The cursor of the recovery when the page was read. */
  readonly cursor: RecoveryCursor
  /** Queues the deliveries or events of the page. */
  readonly take: Take
  /** Whether the window ends with this page. */
  readonly isLast: boolean
  /** How many of the recovery's deliveries may be under way at once. */
  readonly mostUnderWay: number
}

/**
 * What happened to a page. `waits`: the webhook is inactive or its company suspended, so the recovery is queued again.
 * `over`: the recovery has ended, now or before.
 */
export type PageResult =
  | { readonly kind: 'queued'; readonly deliveries: number }
  | { readonly kind: 'waits' }
  | { readonly kind: 'over'; readonly end?: RecoveryEnd }

/**
 * Queues a page of a recovery and moves its cursor, in one transaction. So a repeated page queues nothing twice: it finds
 * that the cursor has moved. The webhook is locked in share mode, so a deactivation or deletion comes either before or
 * after this transaction.
 */
export async function queueRecoveryPage(db: SystemDb, page: RecoveryPage): Promise<PageResult> {
  return inTransaction(db, async (trx) => {
    const { recoveryId: id } = page
    const webhook = await trx('webhooks')
      .where({ id: page.webhookId })
      .forShare()
      .first<LockedWebhook | undefined>('company_id', 'is_active', 'deleted_at', 'max_retries')
    const row = await trx<RecoveryRow>('recoveries').where({ id }).forUpdate().first()
    if (row?.state !== 'running') return { kind: 'over' }
    const now = await databaseNow(trx)
    const stop = (reason: StoppedReason) => endWith(trx, row, { state: 'cancelled', reason }, now)
    if (webhook?.deleted_at !== null) return stop('webhook_deleted')
    const { left, failedInRow } = await settle(trx, row)
    const probes = await readProbes(trx, row)
    await trx('recoveries')
      .where({ id })
      .update({
        failed_in_row: failedInRow,
        probes_before: probes?.before ?? null,
        wakes_at: null,
        touched_at: now,
      })
    if (failedInRow >= FAILURES_THAT_STOP) return stop('endpoint_failing')
    if (probes && probes.failed - probes.before >= PROBES_THAT_STOP) return stop('endpoint_failing')
    if (webhook.is_active !== 1 || (await isSuspended(trx, webhook.company_id))) return queueAgain(trx, row)
    if (!isSame(cursorOf(row), page.cursor)) return { kind: 'queued', deliveries: 0 }
    const room = Math.max(0, page.mostUnderWay - left)
    const taken = await page.take(trx, row, { room, maxRetries: webhook.max_retries, now })
    const isEnd = page.isLast && taken.isWhole && left + taken.queued === 0
    if (isEnd) return endWith(trx, row, { state: 'done' }, now)
    return { kind: 'queued', deliveries: taken.queued }
  })
}

type LockedWebhook = { company_id: string; is_active: number; deleted_at: Date | null; max_retries: number }

async function endWith(
  trx: Transaction<SystemDb>,
  row: RecoveryRow,
  end: RecoveryEnd,
  now: Date,
): Promise<PageResult> {
  await endRecovery(trx, row, end, now)
  return { kind: 'over', end }
}

/**
 * The number of failed probes of the endpoint, now and when the recovery first met the open circuit breaker. undefined
 * while the breaker is closed. If the breaker has closed and opened again since the latest read, the number is lower
 * now. Then `before` becomes this lower number.
 */
async function readProbes(trx: Transaction<SystemDb>, { webhook_id: id, probes_before: known }: RecoveryRow) {
  const health = await trx('webhook_health')
    .where({ webhook_id: id })
    .whereNotNull('probe_at')
    .first<{ failed_probes: number } | undefined>('failed_probes')
  if (!health) return undefined
  const { failed_probes: failed } = health
  return { failed, before: Math.min(known ?? failed, failed) }
}

/** Queues the recovery again, for a turn after the activation or resumption, and gives its place to another one. */
async function queueAgain(
  trx: Transaction<SystemDb>,
  { id, company_id: companyId }: RecoveryRow,
): Promise<PageResult> {
  await trx('recoveries').where({ id }).update({ state: 'queued' })
  await giveTurns(trx, companyId)
  return { kind: 'waits' }
}

/**
 * Takes the deliveries whose attempts are over out of `recovery_deliveries`. Returns how many are `left` under way, and
 * how many attempts have failed in a row.
 */
async function settle(trx: Transaction<SystemDb>, { id, failed_in_row }: RecoveryRow) {
  const underWay = await listUnderWay(trx, id)
  const over = underWay.flatMap(({ deliveryId, outcome }) => (outcome ? [{ deliveryId, outcome }] : []))
  if (over.length > 0) {
    await trx('recovery_deliveries')
      .where({ recovery_id: id })
      .whereIn(
        'delivery_id',
        over.map(({ deliveryId }) => deliveryId),
      )
      .delete()
  }
  const outcomes = over.map(({ outcome }) => outcome)
  return { left: underWay.length - over.length, failedInRow: failuresInRow(failed_in_row, outcomes) }
}

const isSame = (a: RecoveryCursor, b: RecoveryCursor): boolean =>
  a?.id === b?.id && a?.at.getTime() === b?.at.getTime()
