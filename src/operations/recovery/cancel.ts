import { inTransaction } from '../../db/connection/connection.js'
import { COMMAND_QUEUE, enqueueCommands } from '../../db/outbox.js'
import { endRecovery, findRecovery, lockRecovery } from '../../db/recovery/recoveries.js'
import type { Actor } from '../../domain/actor.js'
import { notFound } from '../../domain/errors.js'
import type { Recovery } from '../../domain/recovery/recovery.js'
import type { Tenant } from '../../domain/tenant.js'
import type { Deps } from '../../process/deps.js'
import { requireRole } from '../user/authority.js'
import { auditAs } from '../webhook/create.js'

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
    const isRunning = recovery?.state === 'running'
    if (isRunning) {
      const now = deps.clock()
      await endRecovery(trx, id, { state: 'cancelled', reason: 'requested' }, now)
      await enqueueCommands(trx, tenant, [{ kind: 'recover', targetId: id, queue: COMMAND_QUEUE }])
      await auditAs(tenant, actor)(trx, 'webhook.cancel_recovery', webhookId, now, { recovery_id: id })
    }
    return { after: await findRecovery(trx, tenant, webhookId, id), isEnded: isRunning }
  })
  if (isEnded) deps.metrics.countRecoveryEnd('requested')
  deps.doorbell.ring()
  if (!after) throw notFound('Recovery')
  return after
}
