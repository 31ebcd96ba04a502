import { inTransaction } from '../../db/connection/connection.ts'
import { enqueueCommands } from '../../db/outbox/outbox.ts'
import { COMMAND_QUEUE } from '../../db/outbox/queue-names.ts'
import { findRecovery, lockRecovery } from '../../db/recovery/recoveries.ts'
import { endRecovery } from '../../db/recovery/turns.ts'
import type { Actor } from '../../domain/actor.ts'
import { notFound } from '../../domain/errors.ts'
import { isOpenRecovery, type Recovery } from '../../domain/recovery/recovery.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { Deps } from '../../deps/deps.ts'
import { requireRole } from '../user/authority.ts'
import { auditAs } from '../audit.ts'

/**
 * Cancels a recovery: it queues nothing more, and what it queued goes on. One that is over stays as it is.
 *
 * @returns the recovery after it
 * @throws ApiError NOT_FOUND
 */
export async function cancelRecovery(
  deps: Deps,
  tenant: Tenant,
  actor: Actor,
  { webhookId, id }: Pick<Recovery, 'webhookId' | 'id'>,
): Promise<Recovery> {
  const { after, isEnded } = await inTransaction(deps.db, async (trx) => {
    await requireRole(trx, tenant.companyId, actor, 'deliveries.recover')
    const recovery = await lockRecovery(trx, tenant, webhookId, id)
    const isOpen = recovery !== undefined && isOpenRecovery(recovery)
    if (isOpen) {
      const now = deps.clock()
      await endRecovery(trx, recovery, { state: 'cancelled', reason: 'requested' }, now)
      await enqueueCommands(trx, tenant, [{ kind: 'recover', targetId: id, queue: COMMAND_QUEUE }])
      await auditAs(tenant, actor)(trx, 'webhook.cancel_recovery', webhookId, now, { recovery_id: id })
    }
    return { after: await findRecovery(trx, tenant, webhookId, id), isEnded: isOpen }
  })
  if (isEnded) deps.metrics.countRecoveryEnd('requested')
  deps.doorbell.ring()
  if (!after) throw notFound('Recovery')
  return after
}
