import type { Knex } from 'knex'
import type { StoppedReason } from '../../domain/recovery/recovery.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { enqueueCommands } from '../outbox/outbox.ts'
import { COMMAND_QUEUE } from '../outbox/queue-names.ts'
import { ofTenant } from '../tenant.ts'
import type { RecoveryRow } from './rows.ts'
import { giveTurns } from './turns.ts'

/** How a recovery ends. */
export type RecoveryEnd =
  | { readonly state: 'done' }
  | { readonly state: 'cancelled'; readonly reason: StoppedReason }

/**
 * Ends a recovery that is queued or runs, whose row the caller has locked, and gives its place to the next one. Its deliveries
 * that wait for an attempt go on without it. If it is done and its total was never counted, the total becomes the number queued.
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
  // A queued recovery holds no place. giveTurns locks the company and then the queued rows, so to call it here could deadlock.
  if (state === 'running') await giveTurns(trx, companyId)
}

/** Ends the open recovery of a webhook that is being deleted, also a queued one, and the run of its workflow. @returns its id */
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
  await enqueueCommands(trx, tenant, [{ kind: 'recover', targetId: row.id, queue: COMMAND_QUEUE }])
  return row.id
}
