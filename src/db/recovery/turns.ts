import type { Knex } from 'knex'
import { RECOVERIES_AT_ONCE, type StoppedReason } from '../../domain/recovery/recovery.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { lockCompany } from '../companies.ts'
import { inTransaction, type Db, type SystemDb } from '../connection/connection.ts'
import { enqueueCommands, type NewCommand } from '../outbox/outbox.ts'
import { COMMAND_QUEUE } from '../outbox/queues.ts'
import { ofTenant } from '../conditions.ts'
import type { RecoveryRow } from './rows.ts'

/** The command that starts the workflow of a recovery, or ends it if the recovery is over. */
export const recoverCommand = (id: string): NewCommand => ({
  kind: 'recover',
  targetId: id,
  queue: COMMAND_QUEUE,
})

/** The end of a recovery. */
export type RecoveryEnd =
  | { readonly state: 'done' }
  | { readonly state: 'cancelled'; readonly reason: StoppedReason }

/**
 * Ends a recovery that is queued or runs, and gives its place to the next one. The caller must have locked the
 * recovery's row. Deliveries that wait for an attempt go on without the recovery. If the recovery is done and its total
 * was never counted, the number of queued deliveries becomes the total.
 */
export async function endRecovery(
  trx: Knex.Transaction,
  { id, company_id: companyId, state }: Pick<RecoveryRow, 'id' | 'company_id' | 'state'>,
  end: RecoveryEnd,
  now: Date,
): Promise<void> {
  await trx('recoveries')
    .where({ id })
    .update({
      state: end.state,
      stopped_reason: end.state === 'cancelled' ? end.reason : null,
      running_webhook_id: null,
      total: end.state === 'done' ? trx.raw('COALESCE(total, queued)') : trx.ref('total'),
      ended_at: now,
    })
  await trx('recovery_deliveries').where({ recovery_id: id }).delete()
  // A queued recovery holds no place. Also, giveTurns locks the company and then the queued rows, so a call here could
  // deadlock.
  if (state === 'running') await giveTurns(trx, companyId)
}

/**
 * Ends the queued or running recovery of a webhook that is being deleted, and queues the command that ends its
 * workflow.
 *
 * @returns the id of the recovery; undefined if there is none
 */
export async function endRecoveryOfDeleted(
  trx: Knex.Transaction,
  tenant: Tenant,
  webhookId: string,
  now: Date,
): Promise<string | undefined> {
  const row = await trx<RecoveryRow>('recoveries')
    .where({ ...ofTenant(tenant), running_webhook_id: webhookId })
    .forUpdate()
    .first()
  if (!row) return undefined
  await endRecovery(trx, row, { state: 'cancelled', reason: 'webhook_deleted' }, now)
  await enqueueCommands(trx, tenant, [recoverCommand(row.id)])
  return row.id
}

/**
 * Lets queued recoveries of the company run, the oldest first, while places are free, and queues the start of their
 * workflows. It skips recoveries of inactive webhooks. It locks the company, so that no place is given twice. Before
 * the call, the caller may lock a webhook, or a recovery that is not queued.
 */
export async function giveTurns(trx: Knex.Transaction, companyId: string): Promise<void> {
  const company = await lockCompany(trx, companyId)
  if (company?.suspendedAt !== null) return
  const running = await trx('recoveries')
    .where({ company_id: companyId, state: 'running' })
    .limit(RECOVERIES_AT_ONCE)
    .pluck('id')
  const places = RECOVERIES_AT_ONCE - running.length
  if (places === 0) return
  const next = await dueRecoveries(trx)
    .where({ 'r.company_id': companyId })
    .orderBy(['r.created_at', 'r.id'])
    .limit(places)
    .pluck('r.id')
  // A transaction that is still open may have cancelled one of them. The lock waits for the end of that transaction.
  const queued = (await trx('recoveries')
    .whereIn('id', next)
    .where({ state: 'queued' })
    .forUpdate()
    .pluck('id')) as string[]
  if (queued.length > 0) {
    await trx('recoveries')
      .whereIn('id', queued)
      .update({ state: 'running', touched_at: trx.fn.now(3) })
    await enqueueCommands(trx, { companyId }, queued.map(recoverCommand))
  }
  if (queued.length < next.length) await giveTurns(trx, companyId)
}

/** Like giveTurns, in a transaction of its own. If another transaction locks the company, it leaves the turns to a later call. */
export const giveTurnsIfFree = (db: SystemDb, companyId: string): Promise<void> =>
  inTransaction(db, async (trx) => {
    const own = trx('companies').where({ id: companyId })
    if (await own.forUpdate().skipLocked().first('id')) await giveTurns(trx, companyId)
  })

const dueRecoveries = (db: Db) =>
  db('recoveries as r')
    .join('webhooks as w', 'w.id', 'r.webhook_id')
    .where({ 'r.state': 'queued', 'w.is_active': 1 })

/**
 * Companies with recoveries that wait for a turn. A place may be free although they wait, because processes of a former
 * release give no turns.
 */
export const listWaitingCompanies = async (db: SystemDb, limit: number): Promise<string[]> =>
  (await dueRecoveries(db).distinct('r.company_id').limit(limit).pluck('r.company_id')) as string[]
